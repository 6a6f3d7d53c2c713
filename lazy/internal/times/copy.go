package times

import (
	"bufio"
	"bytes"
	"os"

	"tracex/format"
	"tracex/lazy/internal/mapped"
)

// Copy copies the file of times of a trace that is translated, cell by cell. First
// Look is called for each object of the data, to find out whether the times fit;
// then Begin, and a call for each object written. A nil *Copy is for a
// trace without times. All methods that read the times must be called within
// [mapped.Guard].
type Copy struct {
	s    *File
	fits [2]fit            // for the order of streaming writers, and of dump writers
	open map[int32][]int32 // events of the open containers, by thread
	from *format.TimesScanner
	made format.TimesWriter
	b    []byte // scratch
	to   *bufio.Writer
	err  error // first error of writing
}

// fit compares the cells of a file of times with the objects
// of the data, in one of the two orders.
type fit struct {
	from *format.TimesScanner
	bad  bool
}

// Copy returns a Copy of the times that has not begun; nil if they cannot be
// used.
func (s *File) Copy() *Copy {
	if !s.Usable() {
		return nil
	}
	return &Copy{s: s, fits: [2]fit{{from: s.scan()}, {from: s.scan()}}, from: s.scan(), open: make(map[int32][]int32)}
}

// scan returns a scanner of all cells. It must be used within [mapped.Guard].
func (s *File) scan() *format.TimesScanner {
	return format.NewTimesScanner(bytes.NewReader(s.m.Bytes()))
}

// copyBuffer is how many bytes are written at a time.
const copyBuffer = 256 << 10

// Look compares the times with an object of a trace of version v.
func (c *Copy) Look(o *format.Object, v format.Version) {
	if c == nil {
		return
	}
	id, stream, dump, reference := int32(EndID), &c.fits[0], &c.fits[1], false
	switch {
	case o.Kind == format.KindTracePoint:
		if o.Class.Container() {
			c.open[o.Thread] = append(c.open[o.Thread], format.EventOf(o.Bytes))
		}
		return
	case o.Kind == format.KindBlockStart:
		stream.take(o.Thread, false)
		return
	case o.Kind == format.KindBlockEnd:
		dump.take(o.Thread, false)
		return
	case o.Kind == format.KindFooter:
		stack := c.open[o.Thread]
		id, c.open[o.Thread] = stack[len(stack)-1], stack[:len(stack)-1]
	case o.Kind.Reference():
		id, reference = v.ReferenceID(o.Bytes), true
	}
	stream.take(id, reference)
	dump.take(id, reference)
}

// take compares the next cell, if any: a reference object has no time.
func (f *fit) take(id int32, reference bool) {
	if f.from.Next() {
		t := f.from.Cell()
		f.bad = f.bad || t.ID != id || reference && t.Known()
	}
	f.bad = f.bad || f.from.Err() != nil
}

// settleBytes is how much of the data is read at most to find the order of the cells.
const settleBytes = 4 << 20

// Settle finds out the order of the cells from the first objects of the data, unless it is known.
// An ID cannot tell whether a cell is a block's or that of something in it: kinds have numbers of their
// own, so they may be the same. Usually the first cell of the file decides; cells that fit both orders
// decide nothing. It must be called within [mapped.Guard].
func (s *File) Settle(data *mapped.File) {
	size := int64(len(data.Bytes()))
	if Order(s.order.Load()) != OrderUnknown || s.looked.Load() == size {
		return
	}
	c, objects := Copy{fits: [2]fit{{from: s.scan()}, {from: s.scan()}}, open: make(map[int32][]int32)}, format.NewBytesScanner(data.Bytes())
	stream, dump := &c.fits[0], &c.fits[1]
	for stream.bad == dump.bad && !stream.bad && objects.Offset() < settleBytes && objects.Next() {
		o := objects.Object()
		c.Look(&o, data.Version())
	}
	switch {
	case stream.bad == dump.bad:
		s.looked.Store(size)
	case dump.bad:
		s.order.Store(int32(OrderStream))
	default:
		s.order.Store(int32(OrderDump))
	}
}

// Order returns the order of the cells; OrderUnknown if neither fits.
func (c *Copy) Order() Order {
	switch {
	case c == nil:
	case !c.fits[0].bad:
		return OrderStream
	case !c.fits[1].bad:
		return OrderDump
	}
	return OrderUnknown
}

// Fits reports whether the times fit the objects, and therefore are written.
func (c *Copy) Fits() bool { return c.Order() != OrderUnknown }

// Reason returns why the times of the trace at path are not written; nil if they
// are, or if there are none.
func (c *Copy) Reason(path string) error {
	if c == nil || c.Fits() {
		return nil
	}
	return &format.Error{File: Path(path), Offset: -1, Err: ErrUnfit, Found: "they belong to other objects"}
}

// Begin begins the copy. The caller must close the file after Flush.
func (c *Copy) Begin(to *os.File) {
	if c.Fits() {
		c.to = bufio.NewWriterSize(to, copyBuffer)
		c.b = format.AppendTimesHeader(c.b, c.s.Anchor())
		c.made = format.NewTimesWriter(int64(len(c.b)), 0, false)
		c.write()
	}
}

// write writes b.
func (c *Copy) write() {
	if c.err == nil {
		_, c.err = c.to.Write(c.b)
	}
	c.b = c.b[:0]
}

// Cell copies the next cell, if there is one.
func (c *Copy) Cell() {
	if c.Fits() && c.from.Next() {
		c.b = c.made.Append(c.b, c.from.Cell())
		c.write()
	}
}

// BlockStart copies the cell of a block at its start, if such cells come first.
func (c *Copy) BlockStart() {
	if c.Order() == OrderStream {
		c.Cell()
	}
}

// BlockEnd copies the cell of a block at its end, if such cells come last.
func (c *Copy) BlockEnd() {
	if c.Order() == OrderDump {
		c.Cell()
	}
}

// Add writes the cell of a reference object that the trace lacked.
func (c *Copy) Add(id int32) {
	if c.Fits() && c.from.Cells() < c.s.of.Cells() {
		c.b = c.made.Append(c.b, format.TimeCell{ID: id, Duration: format.NoDuration})
		c.write()
	}
}

// Flush writes what is buffered.
func (c *Copy) Flush() {
	if c.Fits() && c.err == nil {
		c.err = c.to.Flush()
	}
}

// Err returns the first error of writing.
func (c *Copy) Err() error {
	if c == nil {
		return nil
	}
	return c.err
}
