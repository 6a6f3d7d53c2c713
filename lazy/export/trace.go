package export

import (
	"context"
	"math"
	"time"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/lazy"
)

// cutBlock is the size of a block of a cut, in bytes.
const cutBlock = 256 << 10

// Cut writes what is exported as a trace of its own, in the version of the trace: events and threads keep their
// numbers, and points are as recorded. The scope must be Raw. It has the descriptors that are used, and
// times if the trace has. It returns the number of events.
func (j *Job) Cut(ctx context.Context, to tracefile.Files, tell lazy.Progress) (int64, error) {
	anchor := j.Start
	if !j.Timed {
		to.Times, anchor = nil, time.Time{}
	}
	c := &cut{j: j, w: tracefile.NewWriter(j.Version, to, anchor), refs: newCutRefs(), thread: -1}
	if err := j.Run(ctx, c, tell); err != nil {
		return 0, err
	}
	if c.failed != nil {
		return 0, c.failed
	}
	c.endThread()
	return c.events, c.w.End(0)
}

type cut struct {
	j      *Job
	w      *tracefile.Writer
	block  tracefile.Block
	refs   *cutRefs
	thread int32 // of block; -1 before the first
	open   []cutOpen
	events int64
	begun  bool
	failed error
}

// cutOpen is a container whose footer has not been written.
type cutOpen struct {
	content    int64 // logical offset
	op         cutOp // of its header
	iterations int32 // of a loop
}

// cutOp is an object of a part.
type cutOp struct {
	kind  format.Kind // KindFooter for a footer, otherwise a point
	class format.Class
	size  int // bytes of it in the part; 0 for a footer that is missing
	event int32
	// number is that of an iteration, from 0.
	number int32
	time   lazy.Time
}

func (c *cut) Visitor() lazy.Visitor { return &cutPart{j: c.j, refs: newCutRefs()} }

// Reset is for the pass: nothing can be taken back.
func (c *cut) Reset() {
	if c.begun {
		c.failed = errRestart
	}
}

func (c *cut) Merge(v lazy.Visitor) error {
	if c.failed != nil {
		return c.failed
	}
	c.begun = true
	p := v.(*cutPart)
	data := p.data
	next := 0
	for i := range p.threads {
		t := &p.threads[i]
		to := len(p.ops)
		if i+1 < len(p.threads) {
			to = p.threads[i+1].from
		}
		if t.from == to {
			continue
		}
		if c.thread != t.thread {
			c.endThread()
			c.thread = t.thread
			c.block = tracefile.Block{Thread: t.thread, Name: c.j.ThreadName(t.thread), Named: true}
		}
		for ; next < len(p.refs.needs); next++ { // the first thread of the part has those of all
			c.reference(p.refs.needs[next])
		}
		for k := t.from; k < to; k++ {
			op := &p.ops[k]
			c.write(op, data[:op.size])
			data = data[op.size:]
		}
	}
	return c.w.Err()
}

// reference writes a reference object that is not written yet, after those that it refers to.
func (c *cut) reference(n cutNeed) {
	c.j.R.WithContext(func(x *format.Context) {
		c.refs.need(x, n, func(object []byte) { c.block.Reference(object, c.j.Version) })
	})
}

func (c *cut) write(op *cutOp, b []byte) {
	switch {
	case op.kind == format.KindFooter:
		c.leave(op, b)
	case op.class.Container():
		content := c.block.Header(append(c.block.Bytes(), b...))
		if n := len(c.open); n > 0 && op.class == format.ClassIteration && op.number < math.MaxInt32 {
			c.open[n-1].iterations = max(c.open[n-1].iterations, op.number+1)
		}
		c.open = append(c.open, cutOpen{content: content, op: *op})
		c.touch(op.time.Start, op.time.Duration)
		c.events++
	default:
		c.block.Leaf(append(c.block.Bytes(), b...))
		c.events++
	}
	if c.block.Size() >= cutBlock {
		c.w.Flush(&c.block)
	}
}

// touch notes a moment, if it is known.
func (c *cut) touch(ns, duration int64) {
	if duration != format.NoDuration {
		c.block.Touch(ns)
	}
}

// leave writes the footer of the innermost container; without bytes, that of one that did not end.
func (c *cut) leave(op *cutOp, b []byte) {
	o := c.open[len(c.open)-1]
	c.open = c.open[:len(c.open)-1]
	if len(b) == 0 {
		f := format.Unfinished(o.op.class)
		if o.op.class == format.ClassLoop {
			f.Iterations = o.iterations
		}
		b, _ = f.Append(nil, c.j.Version, o.op.class) // cannot fail: its text is short
	}
	t := format.TimeCell{ID: o.op.event, Start: op.time.Start, Duration: op.time.Duration}
	c.block.Footer(append(c.block.Bytes(), b...), o.content, t)
	if t.Duration != format.NoDuration {
		c.touch(t.Start+t.Duration, t.Duration)
	}
}

// endThread ends the current thread, with what is open.
func (c *cut) endThread() {
	if c.thread < 0 {
		return
	}
	for len(c.open) > 0 {
		c.leave(&cutOp{kind: format.KindFooter, time: lazy.Time{Duration: format.NoDuration}}, nil)
	}
	c.w.EndThread(&c.block)
	c.thread = -1
}

type cutPart struct {
	j       *Job
	data    []byte
	ops     []cutOp
	threads []cutThread
	refs    *cutRefs
	bare    withoutValues
}

// cutThread is where the objects of a thread begin.
type cutThread struct {
	thread int32
	from   int // in ops
}

func (p *cutPart) Begin(thread int32, _ []lazy.PassFrame) {
	p.threads = append(p.threads, cutThread{thread, len(p.ops)})
}

func (p *cutPart) Enter(x *lazy.PassPoint) { p.point(x) }

func (p *cutPart) Leaf(x *lazy.PassPoint) { p.point(x) }

func (p *cutPart) point(x *lazy.PassPoint) {
	point, err := x.Point()
	if err != nil {
		return // the pass gets the error too
	}
	op := cutOp{kind: format.KindTracePoint, class: x.Class, event: x.Event, number: point.Number, time: timeOf(x)}
	from := len(p.data)
	if b := x.Bytes(); b != nil && p.j.ValuesShown() {
		p.data = append(p.data, b...)
	} else {
		if !p.j.ValuesShown() {
			point = p.bare.point(point)
		}
		if p.data, err = point.Append(p.data, p.j.Version); err != nil {
			x.Fail(err)
			return
		}
	}
	op.size = len(p.data) - from
	p.ops = append(p.ops, op)
	p.refs.point(point)
}

func (p *cutPart) Exit(x *lazy.PassPoint) {
	op := cutOp{kind: format.KindFooter, class: x.Class, event: x.Event, time: timeOf(x)}
	from := len(p.data)
	f, err := x.Footer()
	switch b := x.Ending(); {
	case err != nil:
		return // the pass gets the error too
	case b == nil || x.State != lazy.StateWhole:
	case p.j.ValuesShown() || x.Class != format.ClassCall:
		p.data = append(p.data, b...)
	default:
		f = p.bare.footer(f)
		if p.data, err = f.Append(p.data, p.j.Version, x.Class); err != nil {
			x.Fail(err)
			return
		}
	}
	op.size = len(p.data) - from
	p.ops = append(p.ops, op)
	if f != nil && x.Class == format.ClassCall {
		p.refs.value(&f.Result)
	}
}

func timeOf(p *lazy.PassPoint) lazy.Time {
	if t, ok := p.Time(); ok {
		return t
	}
	return lazy.Time{Duration: format.NoDuration}
}
