package export

import (
	"context"

	"tracex/lazy"
)

// view is a collector that shows another one only what belongs to a job: the part of the tree within the
// scope, and of that what happened in its time.
type view struct {
	lazy.Collector
	j *Job
}

func (c *view) Visitor() lazy.Visitor {
	v := &viewVisitor{Visitor: c.Collector.Visitor(), j: c.j}
	v.arounder, _ = v.Visitor.(lazy.Arounder)
	v.leaver, _ = v.Visitor.(Leaver)
	return v
}

// A Leaver is a visitor that counts points of the scope that are not exported: see [Job.Shows].
type Leaver interface {
	// Left is called in place of Leaf.
	Left(p *lazy.PassPoint)
}

func (c *view) Merge(v lazy.Visitor) error {
	x := v.(*viewVisitor)
	c.j.omitted.add(&x.left)
	return c.Collector.Merge(x.Visitor)
}

func (c *view) Reset() {
	c.j.omitted.reset()
	c.Collector.Reset()
}

type viewVisitor struct {
	lazy.Visitor
	arounder lazy.Arounder // the same; nil if it is none
	leaver   Leaver        // the same; nil if it is none
	j        *Job
	from     int64 // logical offset: containers that begin before it are not in the scope
	shown    []bool
	around   []lazy.PassFrame // those that are shown
	left     omitted
}

func (v *viewVisitor) reset(thread int32) {
	v.shown, v.around = v.shown[:0], v.around[:0]
	v.from = v.j.Scope.Begins(thread)
}

func (v *viewVisitor) push(p *lazy.PassPoint) bool {
	show := p.At >= v.from && !v.deep() && v.during(p)
	if v.shown = append(v.shown, show); show {
		v.around = append(v.around, p.PassFrame)
	}
	return show
}

// deep reports whether what is directly in the containers that are open is below the levels of the job.
func (v *viewVisitor) deep() bool { return v.j.Depth > 0 && len(v.around) > v.j.Depth }

// during reports whether a container overlaps the time of the scope. One whose time is not known does if
// the moment last known before it is in that time.
func (v *viewVisitor) during(p *lazy.PassPoint) bool {
	if !v.j.Scope.Timed {
		return true
	}
	if t, ok := p.Time(); ok {
		return t.Start < v.j.Scope.To && (t.End() > v.j.Scope.From || t.Start == v.j.Scope.From)
	}
	return v.moment(p)
}

// moment reports whether the last moment known before a point is in the time of the scope.
func (v *viewVisitor) moment(p *lazy.PassPoint) bool {
	if !v.j.Scope.Timed {
		return true
	}
	at, ok := p.Moment()
	if !ok {
		v.left.undated++
		return false
	}
	return at >= v.j.Scope.From && at < v.j.Scope.To
}

// Begin is for the pass. The frames come with Around: whether they are shown takes more than is in them.
func (v *viewVisitor) Begin(thread int32, _ []lazy.PassFrame) {
	v.reset(thread)
	v.Visitor.Begin(thread, nil)
}

func (v *viewVisitor) Around(p *lazy.PassPoint) {
	n := len(v.around)
	if v.push(p) && v.arounder != nil {
		p.Within(v.around[:n:n], v.arounder.Around)
	}
}

func (v *viewVisitor) Enter(p *lazy.PassPoint) {
	n := len(v.around)
	switch {
	case !v.push(p):
	case n == p.Depth:
		v.Visitor.Enter(p)
	default:
		p.Within(v.around[:n:n], v.Visitor.Enter)
	}
}

func (v *viewVisitor) Leaf(p *lazy.PassPoint) {
	switch {
	case v.deep():
	case !v.j.Shows(p.Class):
		v.left.leave(p.Class)
		if v.leaver != nil {
			v.leaver.Left(p)
		}
	case v.j.Scope.Timed && !v.moment(p):
	case len(v.around) == p.Depth:
		v.Visitor.Leaf(p)
	default:
		p.Within(v.around, v.Visitor.Leaf)
	}
}

func (v *viewVisitor) Exit(p *lazy.PassPoint) {
	n := len(v.shown)
	if n == 0 {
		return // it began before the scope
	}
	show := v.shown[n-1]
	if v.shown = v.shown[:n-1]; !show {
		return
	}
	v.around = v.around[:len(v.around)-1]
	if len(v.around) == p.Depth {
		v.Visitor.Exit(p)
		return
	}
	p.Within(v.around, v.Visitor.Exit)
}

// Run passes over what is exported, for a collector whose visitors need not care what belongs to the job.
// Begin gets no frames: the containers around a part that belong to the job follow by Around. Each Exit
// belongs to an Enter or an Around, and depths count from the roots of the job. A container that goes on
// after the scope gets no Exit. Run may be called several times.
func (j *Job) Run(ctx context.Context, c lazy.Collector, tell lazy.Progress) error {
	j.omitted.reset()
	pass := j.Scope.Over(&view{Collector: c, j: j})
	pass.Progress, pass.Share = tell, j.share
	return j.R.Pass(ctx, pass)
}

// runAll is [Job.Run] for a collector that sees what the steps hide, and applies the scope itself, as
// those of package query do. It does not apply Options.Depth.
func (j *Job) runAll(ctx context.Context, c lazy.Collector, tell lazy.Progress) error {
	j.omitted.reset()
	pass := j.Scope.Over(c)
	pass.Progress, pass.Share = tell, j.share
	return j.R.Pass(ctx, pass)
}
