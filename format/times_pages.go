package format

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"time"
)

// A page is found by halving, and read from its start: a larger one would take longer, and a smaller one
// has more of its bytes in its number and its first cell.
const (
	TimesPageSize = 512 // bytes
	pageHead      = 8
)

// timeRow is the previous cell, from which the next one is told.
type timeRow struct {
	id  int32
	end int64
}

// less returns a cell as differences, from which cell makes it again.
func (r *timeRow) less(c TimeCell) (id int32, gap, rest int64) {
	gap, rest = c.Start-r.end, c.Duration
	if gap < 0 {
		rest += gap
	}
	id = c.ID - r.id
	r.take(c)
	return id, gap, rest
}

func (r *timeRow) cell(id int32, gap, rest int64) TimeCell {
	if gap < 0 {
		rest -= gap
	}
	c := TimeCell{ID: r.id + id, Start: r.end + gap, Duration: rest}
	r.take(c)
	return c
}

func (r *timeRow) take(c TimeCell) {
	r.id = c.ID
	if c.Known() {
		r.end = c.Start + c.Duration
	}
}

// TimesWriter makes the pages of a file of times.
type TimesWriter struct {
	size  int64 // of the file with what was made
	cells int64 // so many are in it
	left  int   // bytes of the last page that cells may take
	last  timeRow
	fixed bool
}

// NewTimesWriter returns a TimesWriter for a file of a size, in bytes, with at least the header, and so many cells.
// fixed is that of [DecodeTimesHeader].
func NewTimesWriter(size, cells int64, fixed bool) TimesWriter {
	return TimesWriter{size: size, cells: cells, fixed: fixed}
}

// Append appends a cell to dst, which is what the file gets next.
func (w *TimesWriter) Append(dst []byte, c TimeCell) []byte {
	w.cells++
	if w.fixed {
		w.size += TimeCellSize
		return c.Append(dst)
	}
	n := len(dst)
	last := w.last
	if dst = last.append(dst, c); len(dst)-n > w.left {
		dst = binary.BigEndian.AppendUint64(w.End(dst[:n]), uint64(w.cells-1))
		w.size, w.left = w.size+pageHead, TimesPageSize-pageHead
		n, last = len(dst), timeRow{}
		dst = last.append(dst, c)
	}
	n = len(dst) - n
	w.size, w.left, w.last = w.size+int64(n), w.left-n, last
	return dst
}

// append appends a cell to a page.
func (r *timeRow) append(dst []byte, c TimeCell) []byte {
	id, gap, rest := r.less(c)
	a, b, d := uint64(uint32(zigzag32(id-1)))+1, zigzag(gap), zigzag(rest)
	if a|b|d < 0x80 {
		return append(dst, byte(a), byte(b), byte(d))
	}
	dst = binary.AppendUvarint(dst, a)
	return binary.AppendUvarint(binary.AppendUvarint(dst, b), d)
}

func zigzag32(v int32) int32  { return v<<1 ^ v>>31 }
func zigzag(v int64) uint64   { return uint64(v<<1 ^ v>>63) }
func unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

// End ends the last page before others see it: what is written once is not changed. The end of the file needs
// no End.
func (w *TimesWriter) End(dst []byte) []byte {
	w.left = 0
	if over := int((w.size - TimesHeaderSize) % TimesPageSize); over > 0 && !w.fixed {
		w.size += int64(TimesPageSize - over)
		dst = append(dst, make([]byte, TimesPageSize-over)...)
	}
	return dst
}

// timesPage reads the cells of a page.
type timesPage struct {
	b     []byte
	at    int // of the next cell
	last  timeRow
	fixed bool
}

// next decodes a cell. ok is false if there are no more, or if there is something else.
func (p *timesPage) next() (c TimeCell, ok bool) {
	if p.fixed {
		if len(p.b)-p.at < TimeCellSize {
			return c, false
		}
		c = decodeTimeCell(p.b[p.at:])
		p.at += TimeCellSize
		return c, true
	}
	b, at := p.b, p.at
	var v [3]uint64
	for i := range v {
		switch {
		case at < len(b) && b[at] < 0x80:
			v[i] = uint64(b[at])
			at++
		case at+1 < len(b) && b[at+1] < 0x80:
			v[i] = uint64(b[at]&0x7f) | uint64(b[at+1])<<7
			at += 2
		default:
			u, n := binary.Uvarint(b[min(at, len(b)):])
			if n <= 0 {
				return c, false
			}
			v[i], at = u, at+n
		}
	}
	if v[0] == 0 || v[0] > 1<<32 {
		return c, false
	}
	p.at = at
	return p.last.cell(int32(unzigzag(v[0]-1))+1, unzigzag(v[1]), unzigzag(v[2])), true
}

// Times is the content of a file of times, which it does not copy.
type Times struct {
	Anchor time.Time // from which starts count
	b      []byte
	fixed  bool
	pages  int64 // those that have their number
	cells  int64
	rest   []byte // after the last cell
}

// ReadTimes checks the header of a file of times.
func ReadTimes(b []byte) (t Times, err error) {
	t.b = b
	if t.Anchor, t.fixed, err = DecodeTimesHeader(b[:min(len(b), TimesHeaderSize)]); err != nil {
		return t, err
	}
	if t.fixed {
		t.cells = int64(len(b)-TimesHeaderSize) / TimeCellSize
		t.rest = b[TimesHeaderSize+t.cells*TimeCellSize:]
		return t, nil
	}
	t.pages = (int64(len(b)-TimesHeaderSize) + TimesPageSize - pageHead) / TimesPageSize
	for lost := 0; lost < mostLost && t.pages > 1 && t.first(t.pages-1) == 0; lost++ {
		t.pages--
	}
	if t.pages == 0 {
		t.rest = b[TimesHeaderSize:]
		return t, nil
	}
	last := t.pages - 1
	if t.cells = t.first(last); t.cells < 0 || t.cells > last*(TimesPageSize/3) {
		return t, &Error{Offset: TimesHeaderSize + last*TimesPageSize, Err: ErrCorrupt,
			Expected: fmt.Sprintf("the page of a cell up to %d", last*(TimesPageSize/3)), Found: fmt.Sprintf("that of %d", t.cells)}
	}
	in := t.page(last)
	for ; ; t.cells++ {
		if _, ok := in.next(); !ok {
			break
		}
	}
	t.rest = in.b[in.at:]
	if end := TimesHeaderSize + t.pages*TimesPageSize; end < int64(len(b)) && int64(len(b))-end < pageHead {
		t.rest = b[end-int64(len(t.rest)):] // with a part of a head
	}
	return t, nil
}

// mostLost is how many pages of 0 at the end are taken for those that the system had not written when it crashed.
const mostLost = 1 << 16

// Cells returns how many cells there are.
func (t *Times) Cells() int64 { return t.cells }

// Pages returns how many pages they are in.
func (t *Times) Pages() int64 {
	if t.fixed {
		return (t.cells + fixedRun - 1) / fixedRun
	}
	return t.pages
}

// Rest reports whether something follows the last cell, other than bytes of 0 after a page.
func (t *Times) Rest() bool { return isRest(t.rest, t.fixed) }

func isRest(b []byte, fixed bool) bool {
	return fixed && len(b) > 0 || slices.ContainsFunc(b, func(b byte) bool { return b != 0 })
}

// first returns the ordinal of the first cell of a page.
func (t *Times) first(page int64) int64 {
	return int64(binary.BigEndian.Uint64(t.b[TimesHeaderSize+page*TimesPageSize:]))
}

func (t *Times) page(i int64) timesPage {
	at := TimesHeaderSize + i*TimesPageSize
	return timesPage{b: t.b[at+pageHead : min(at+TimesPageSize, int64(len(t.b)))]}
}

// TimesPage is a page of a file of times, decoded; of version 1, as many cells.
type TimesPage struct {
	First int64 // ordinal of the first cell
	Cells []TimeCell
	at    int64 // number of the page
}

// Has reports whether a page, which may be nil, has the cell with an ordinal.
func (p *TimesPage) Has(n int64) bool {
	return p != nil && n >= p.First && n-p.First < int64(len(p.Cells))
}

// fixedRun is how many cells of version 1 are taken for a page.
const fixedRun = 128

// Page returns the page that has the cell with an ordinal, which is less than Cells. near, which may be nil, is
// a page that is perhaps before it. The error is of a page that cannot be where it is.
func (t *Times) Page(n int64, near *TimesPage) (*TimesPage, error) {
	if t.fixed {
		p := &TimesPage{First: n - n%fixedRun}
		p.Cells = make([]TimeCell, min(fixedRun, t.cells-p.First))
		in := timesPage{fixed: true, b: t.b[TimesHeaderSize+p.First*TimeCellSize:]}
		for i := range p.Cells {
			p.Cells[i], _ = in.next()
		}
		return p, nil
	}
	low, high := int64(0), t.pages-1 // the page is one of these
	if near != nil && near.at < high && t.first(near.at+1) <= n {
		if low = near.at + 1; low < high && t.first(low+1) > n {
			high = low
		}
	}
	for low < high {
		if mid := (low + high + 1) / 2; t.first(mid) <= n {
			low = mid
		} else {
			high = mid - 1
		}
	}
	p := &TimesPage{First: t.first(low), at: low}
	next := t.cells
	if low+1 < t.pages {
		next = t.first(low + 1)
	}
	if p.First >= 0 && p.First <= n && n < next && next-p.First <= TimesPageSize/3 {
		p.Cells = make([]TimeCell, next-p.First)
		in := t.page(low)
		for i := range p.Cells {
			var ok bool
			if p.Cells[i], ok = in.next(); !ok {
				p.Cells = p.Cells[:i]
				break
			}
		}
	}
	if int64(len(p.Cells)) != next-p.First || !p.Has(n) {
		return nil, &Error{Offset: TimesHeaderSize + low*TimesPageSize, Err: ErrCorrupt,
			Expected: fmt.Sprintf("the page of cell %d", n), Found: fmt.Sprintf("%d cells from %d on, before %d", len(p.Cells), p.First, next)}
	}
	return p, nil
}

// TimesScanner reads the cells of a file of times in their order. It takes the memory of a page.
type TimesScanner struct {
	r      io.Reader
	anchor time.Time
	begun  bool
	fixed  bool
	page   timesPage
	end    int64 // of what was read
	next   int64 // where the next page is to be
	at     int64 // of the last cell
	cell   TimeCell
	cells  int64
	err    error
	buf    [TimesPageSize]byte
}

// NewTimesScanner returns a scanner of a file of times.
func NewTimesScanner(r io.Reader) *TimesScanner { return &TimesScanner{r: r} }

// Anchor returns the wall clock time from which starts count. It reads the header.
func (s *TimesScanner) Anchor() (time.Time, error) {
	s.begin()
	return s.anchor, s.err
}

func (s *TimesScanner) begin() {
	if s.begun {
		return
	}
	s.begun = true
	n, err := io.ReadFull(s.r, s.buf[:TimesHeaderSize])
	if err == nil || err == io.EOF || err == io.ErrUnexpectedEOF {
		s.anchor, s.fixed, err = DecodeTimesHeader(s.buf[:n])
	}
	s.err, s.end, s.next, s.page.fixed = err, int64(n), int64(n), s.fixed
}

// Next reads a cell. It returns false at the end of the file, or after an error.
func (s *TimesScanner) Next() bool {
	s.begin()
	for s.err == nil {
		var ok bool
		s.at = s.next - int64(len(s.page.b)-s.page.at)
		if s.cell, ok = s.page.next(); ok {
			s.cells++
			return true
		}
		if !s.more() {
			break
		}
	}
	return false
}

// more reads the next page; in version 1, as many cells as fit. Pages of 0 at the end are none: see ReadTimes.
func (s *TimesScanner) more() bool {
	into, head := s.buf[:], pageHead
	if s.fixed {
		into, head = into[:len(into)/TimeCellSize*TimeCellSize], 0
	}
	for {
		at := s.end
		n, err := io.ReadFull(s.r, into)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			s.err = err
			return false
		}
		s.end += int64(n)
		switch {
		case n == 0:
			return false
		case n < head: // the page before is read to its end
			s.page = timesPage{b: append(slices.Clone(s.page.b[s.page.at:]), into[:n]...)}
			return false
		case s.fixed:
		case binary.BigEndian.Uint64(into) == 0 && s.cells > 0 && !isRest(into[:n], false):
			continue
		case binary.BigEndian.Uint64(into) != uint64(s.cells) || at > s.next:
			s.err = &Error{Offset: s.next, Err: ErrCorrupt, Expected: fmt.Sprintf("the page of cell %d", s.cells),
				Found: fmt.Sprintf("that of %d at offset %d", binary.BigEndian.Uint64(into), at)}
			return false
		}
		s.page, s.next = timesPage{b: into[head:n], fixed: s.fixed}, s.end
		return true
	}
}

// Cell returns the cell that Next read.
func (s *TimesScanner) Cell() TimeCell { return s.cell }

// Cells returns how many cells were read.
func (s *TimesScanner) Cells() int64 { return s.cells }

// Offset returns where the cell that Next read begins in the file; after the last one, where the next would.
func (s *TimesScanner) Offset() int64 { return s.at }

// Rest reports whether something follows the last cell, other than bytes of 0 after a page. It is for a scanner
// that is at the end.
func (s *TimesScanner) Rest() bool { return isRest(s.page.b[s.page.at:], s.fixed) }

// Err returns the first error; nil at the end of the file.
func (s *TimesScanner) Err() error { return s.err }
