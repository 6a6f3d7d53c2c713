package tracetest

import (
	"bytes"
	"encoding/binary"
	"os"
	"testing"
	"time"

	"tracex/format"
)

// CheckTimes compares the times of a trace with its index: each time cell matches its index
// cell, and is possible. whole says that nothing is missing at the end. It returns when the
// recording began, according to the header.
func CheckTimes(tb testing.TB, path string, whole bool) (anchor time.Time) {
	tb.Helper()
	index, err := os.ReadFile(path + format.IndexSuffix)
	if err != nil {
		tb.Fatal(err)
	}
	times, err := os.ReadFile(path + format.TimesSuffix)
	if err != nil {
		tb.Fatal(err)
	}
	c := &timesCheck{tb: tb, threads: map[int32]*threadTimes{}, current: &threadTimes{}}
	read := format.NewTimesScanner(bytes.NewReader(times))
	if anchor, err = read.Anchor(); err != nil {
		tb.Fatal(err)
	}
	index = index[min(format.HeaderSize, len(index)):]
	n := len(index) / format.CellSize
	if whole && (len(index)%format.CellSize != 8 || binary.BigEndian.Uint64(index[n*format.CellSize:]) != format.IndexMagic) {
		tb.Fatalf("%d bytes of index have no end", len(index))
	}
	// A dump's first block has at least a name, whose cell precedes its own.
	c.dump = len(index) >= format.CellSize && format.DecodeCell(index).Kind != format.KindBlockStart
	for read.Next() {
		if read.Cells() > int64(n) {
			tb.Fatalf("more times than the %d cells of the index", n)
		}
		c.cell(format.DecodeCell(index), read.Cell())
		index = index[format.CellSize:]
	}
	if read.Err() != nil || whole && (!c.over || read.Cells() != int64(n)) {
		tb.Fatalf("times of %d cells of %d, the end %v: %v", read.Cells(), n, c.over, read.Err())
	}
	return anchor
}

type timesCheck struct {
	tb      testing.TB
	dump    bool
	threads map[int32]*threadTimes
	current *threadTimes    // of the current block; in a dump, of one whose thread is not known yet
	block   format.TimeCell // of a streaming block
	latest  int64           // of all
	over    bool
}

// threadTimes are the containers of a thread whose parent has not been read yet.
type threadTimes struct {
	ended []timed
}

type timed struct {
	format.TimeCell
	start int64 // logical
}

func (c timed) end() int64 { return c.Start + c.Duration }

func (c *timesCheck) cell(i format.Cell, t format.TimeCell) {
	c.tb.Helper()
	switch {
	case i.ID != t.ID:
		c.tb.Fatalf("a time of %d is where the index has %d", t.ID, i.ID)
	case i.Kind == format.KindEOF:
		if t.Duration != 0 || t.Start < c.latest {
			c.tb.Fatalf("the end: %+v, the last before is at %d", t, c.latest)
		}
		c.over = true
	case i.Kind == format.KindBlockStart:
		c.startBlock(t)
	case i.Kind != format.KindTracePoint:
		if t.Start != 0 || t.Duration != format.NoDuration {
			c.tb.Fatalf("a %v has the time %+v", i.Kind, t)
		}
	default:
		c.container(i, timed{t, i.Start})
	}
}

// startBlock switches to the thread of a block; in a dump the block's other cells precede this.
func (c *timesCheck) startBlock(t format.TimeCell) {
	if c.threads[t.ID] == nil {
		c.threads[t.ID] = &threadTimes{}
	}
	if c.dump {
		for _, in := range c.current.ended {
			c.within(in, timed{t, 0})
		}
		c.current = &threadTimes{}
		return
	}
	c.block, c.current = t, c.threads[t.ID]
}

// container checks a container against its children and its block.
func (c *timesCheck) container(i format.Cell, t timed) {
	c.tb.Helper()
	if !t.Known() || t.Start < 0 {
		c.tb.Fatalf("container %d has the time %+v", t.ID, t)
	}
	c.latest = max(c.latest, t.end())
	if b := c.block; b != (format.TimeCell{}) && (!b.Known() || t.end() < b.Start || t.end() > b.Start+b.Duration) {
		c.tb.Fatalf("%+v ends in a block of %+v", t, b)
	}
	thread := c.current
	n := len(thread.ended)
	for ; n > 0 && thread.ended[n-1].start >= i.Start; n-- {
		c.within(thread.ended[n-1], t)
	}
	if n > 0 && thread.ended[n-1].end() > t.Start {
		c.tb.Fatalf("%+v begins before %+v ends", t, thread.ended[n-1])
	}
	thread.ended = append(thread.ended[:n], t)
}

func (c *timesCheck) within(in, out timed) {
	c.tb.Helper()
	if in.Start < out.Start || in.end() > out.end() {
		c.tb.Fatalf("%+v is not within %+v", in, out)
	}
}
