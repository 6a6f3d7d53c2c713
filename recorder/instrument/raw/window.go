package raw

// Window reads a file through a buffer.
//
// A program that runs writes while we read. It writes the word that makes an event valid last. A
// read may copy bytes in any order, so it may see the word and not what the word makes valid.
// So what is still being written is read twice: what the first reading, called seen, has the
// word of is whole in the second.
type Window struct {
	f       *File
	size    int    // how much is read at a time, at most
	next    int    // how much is read next: a small file needs no large buffer
	live    bool   // the file is still being written
	data    []byte // the bytes from offset on
	seen    []byte // the same, read before
	spare   []byte // the other buffer
	offset  int64
	current bool // the buffer has what was read since the last Renew
}

// Window returns a window that reads so many bytes at a time.
func (f *File) Window(size int) *Window { return &Window{f: f, size: size} }

// Renew makes the next Read look at the file again. live says that a program still writes it.
func (w *Window) Renew(live bool) { w.live, w.current = live, false }

// Read returns n bytes of the file, fewer at its end, and what was seen of them before: a word
// that is zero in seen may be of something that is not whole in data. Both have the same length,
// and are valid until the next call of a method.
func (w *Window) Read(offset int64, n int) (data, seen []byte, err error) {
	if !w.current || offset < w.offset || offset+int64(n) > w.offset+int64(len(w.data)) {
		const first, faster = 4 << 10, 4
		w.next = min(max(w.next*faster, first), w.size)
		if err := w.Fill(offset, max(n, w.next)); err != nil {
			return nil, nil, err
		}
	}
	from := min(int(offset-w.offset), len(w.data))
	to := min(from+n, len(w.data))
	return w.data[from:to], w.seen[from:to], nil
}

// Fill reads n bytes at once, for the calls of Read that follow.
func (w *Window) Fill(offset int64, n int) (err error) {
	w.offset, w.current = offset, false
	if w.data, err = w.fill(w.data, n); err != nil {
		return err
	}
	w.seen = w.data
	if w.live {
		if w.spare, err = w.fill(w.spare, n); err != nil {
			return err
		}
		w.data, w.spare = w.spare, w.data
		n := min(len(w.data), len(w.seen))
		w.data, w.seen = w.data[:n], w.seen[:n]
	}
	w.current = true
	return nil
}

// fill reads n bytes at the window's place into a buffer.
func (w *Window) fill(b []byte, n int) ([]byte, error) {
	if cap(b) < n {
		b = make([]byte, n)
	}
	got, err := w.f.read(b[:n], w.offset)
	return b[:got], err
}
