package raw

// Window reads a file through a buffer.
//
// A program may write while we read. It writes the word that makes an event valid last, but a read
// may copy bytes in any order, and so see the word without the event. A live file is therefore read
// twice: an event whose word is in the first reading, called seen, is whole in the second.
type Window struct {
	f       *File
	size    int    // how much is read at a time, at most
	next    int    // how much is read next: a small file needs no large buffer
	live    bool   // the file is still being written
	data    []byte // the bytes from offset on
	seen    []byte // the same, read before
	spare   []byte // the other buffer
	offset  int64
	current bool // the buffer was read after the last Renew
}

// Window returns a window that reads so many bytes at a time.
func (f *File) Window(size int) *Window { return &Window{f: f, size: size} }

// Renew makes the next Read read the file again. live says that a program still writes it.
func (w *Window) Renew(live bool) { w.live, w.current = live, false }

// Read returns n bytes of the file, fewer at its end, and an earlier reading of them: what a word
// makes valid may be incomplete in data if the word is zero in seen. Both have the same length, and
// are valid until the next call of a method.
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
