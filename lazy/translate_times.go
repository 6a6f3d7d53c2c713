package lazy

import (
	"bufio"
	"os"

	"tracex/format"
)

// timesCopy copies the file of times of a trace that is translated, cell by cell.
// A nil *timesCopy is that of a trace without times.
type timesCopy struct {
	s    *sidecar
	fits [2]timesFit       // in the order of streams, and of dumps
	open map[int32][]int32 // events of the containers that are open, by thread
	pos  int64             // of the next cell
	to   *bufio.Writer
	err  error // of writing
}

// timesFit compares the numbers of the cells of a file of times with the objects
// of the data, in one of both orders.
type timesFit struct {
	pos int64
	bad bool
}

// timesToCopy returns the times that are to be copied.
func (r *TraceReader) timesToCopy() *timesCopy {
	if !r.timed() {
		return nil
	}
	at := timesFit{pos: format.TimesHeaderSize}
	return &timesCopy{s: r.times.Load(), fits: [2]timesFit{at, at}, pos: at.pos, open: make(map[int32][]int32)}
}

// look compares the times with an object, within use.
func (c *timesCopy) look(o *format.Object, v format.Version) {
	if c == nil {
		return
	}
	id, stream, dump := int32(eofID), &c.fits[0], &c.fits[1]
	switch {
	case o.Kind == format.KindTracePoint:
		if o.Class.Container() {
			c.open[o.Thread] = append(c.open[o.Thread], eventOf(o.Bytes))
		}
		return
	case o.Kind == format.KindBlockStart:
		stream.take(c.s, o.Thread)
		return
	case o.Kind == format.KindBlockEnd:
		dump.take(c.s, o.Thread)
		return
	case o.Kind == format.KindFooter:
		stack := c.open[o.Thread]
		id, c.open[o.Thread] = stack[len(stack)-1], stack[:len(stack)-1]
	case o.Kind.Reference():
		id = v.ReferenceID(o.Bytes)
	}
	stream.take(c.s, id)
	dump.take(c.s, id)
}

// take compares the next cell, if there is one.
func (f *timesFit) take(s *sidecar, id int32) {
	if f.pos > int64(len(s.m.Bytes()))-format.TimeCellSize {
		return
	}
	f.bad = f.bad || format.DecodeTimeCell(s.m.Bytes()[f.pos:]).ID != id
	f.pos += format.TimeCellSize
}

// order returns the order of the times; orderUnknown when none fits.
func (c *timesCopy) order() int32 {
	switch {
	case c == nil:
	case !c.fits[0].bad:
		return orderStream
	case !c.fits[1].bad:
		return orderDump
	}
	return orderUnknown
}

// result reports whether times were written.
func (c *timesCopy) result() bool { return c.order() != orderUnknown }

// reason returns why they were not.
func (c *timesCopy) reason(path string) error {
	if c == nil || c.result() {
		return nil
	}
	return &format.Error{File: timesPath(path), Offset: -1, Err: errTimesUnfit, Found: "they are those of other objects"}
}

// begin begins the copy.
func (c *timesCopy) begin(to *os.File) {
	if c.result() {
		c.to = bufio.NewWriterSize(to, storeBuffer/4)
		c.write(format.AppendTimesHeader(nil, c.s.anchor))
	}
}

func (c *timesCopy) write(b []byte) {
	if c.err == nil {
		_, c.err = c.to.Write(b)
	}
}

// cell copies the next cell, within use; behind the end of the times there is none.
func (c *timesCopy) cell() {
	if c.result() && c.pos <= int64(len(c.s.m.Bytes()))-format.TimeCellSize {
		c.write(c.s.m.Bytes()[c.pos : c.pos+format.TimeCellSize])
		c.pos += format.TimeCellSize
	}
}

func (c *timesCopy) blockStart() {
	if c.order() == orderStream {
		c.cell()
	}
}

func (c *timesCopy) blockEnd() {
	if c.order() == orderDump {
		c.cell()
	}
}

// add adds the cell of a reference object that the trace did not have.
func (c *timesCopy) add(id int32) {
	if c.result() && c.pos <= int64(len(c.s.m.Bytes()))-format.TimeCellSize {
		c.write(format.TimeCell{ID: id, Duration: format.NoDuration}.Append(nil))
	}
}

func (c *timesCopy) flush() {
	if c.result() && c.err == nil {
		c.err = c.to.Flush()
	}
}

// failed returns what writing has failed with.
func (c *timesCopy) failed() error {
	if c == nil {
		return nil
	}
	return c.err
}
