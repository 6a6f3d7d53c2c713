package export

import (
	"context"
	"strconv"
	"time"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
)

type Options struct {
	// Scope is the part of the trace, with its steps. A filter of it (Where) has no effect: which calls are
	// left is said by steps.
	Scope query.Scope
	// Depth is how many levels below the roots are exported; 0 for all.
	Depth int
	// NoValues leaves out all that a program may want to keep secret: arguments, results, receivers,
	// variables, fields and messages.
	NoValues bool
	// Reads includes reads of variables, fields and elements.
	Reads bool
	// Force writes what the target cannot load.
	Force bool
	// Title names the trace, such as the name of its file.
	Title string
	// Weight is what the numbers of folded stacks count: see [Weights].
	Weight string
	// Label names a value, such as arg.1, that samples of pprof are labelled with; "" for none.
	Label string
	// Program is the name and version of this program, for formats that tell what wrote a file: tracex@0.1.0.
	Program string
}

type Job struct {
	Options
	R *lazy.LazyTraceReader
	// Start is when the recording began; the zero Time if that is not known.
	Start time.Time
	// Timed reports whether the trace has times. Without, the axis has a microsecond for each event: an
	// event begins at that of its number, and what is around it ends half a microsecond after the last event
	// in it.
	Timed bool
	// Version is that of the format of the trace.
	Version format.Version

	last    int64 // the end of the axis
	id      lazy.Identity
	omitted omitted
	share   int64 // see [lazy.Pass.Share]; 0 but in tests
}

// NewJob prepares an export of a trace that is ready.
func NewJob(r *lazy.LazyTraceReader, o Options) (*Job, error) {
	j := &Job{Options: o, R: r, Version: r.Version()}
	var err error
	if j.id, err = lazy.IdentityOf(r); err != nil {
		return nil, err
	}
	if j.Start, j.Timed = r.Times(); j.Timed {
		if _, length, ok := r.Recording(); ok {
			j.last = int64(length)
		}
	}
	return j, nil
}

func (j *Job) ID() lazy.Identity { return j.id }

func (j *Job) ValuesShown() bool { return !j.NoValues }

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

// ThreadName returns the name of a thread as the tree shows it.
func (j *Job) ThreadName(thread int32) string {
	t, ok := j.R.ThreadInfo(thread)
	if !ok {
		return ""
	}
	return t.Name
}

// ThreadEnd returns when a thread ended, as far as known: no event of it is later.
func (j *Job) ThreadEnd(thread int32) int64 {
	if j.Timed {
		if t, ok := j.R.ThreadTime(thread); ok {
			return t.End()
		}
		return j.last
	}
	return farAway
}

// Shows reports whether points of a class are exported, of those that are no containers.
func (j *Job) Shows(c format.Class) bool {
	switch c {
	case format.ClassArrayRead, format.ClassVariableRead, format.ClassFieldRead:
		return j.Reads && !j.NoValues
	case format.ClassArrayWrite, format.ClassVariableWrite, format.ClassFieldWrite, format.ClassSnapshot:
		return !j.NoValues
	}
	return true
}

// withoutValues are copies of a point and a footer without what NoValues leaves out, each until the next.
type withoutValues struct {
	p format.Point
	f format.Footer
}

func (w *withoutValues) point(p *format.Point) *format.Point {
	w.p = *p
	w.p.Args, w.p.Target, w.p.Snapshot, w.p.Value.Captured = nil, format.Null(), nil, nil
	return &w.p
}

// footer may get nil.
func (w *withoutValues) footer(f *format.Footer) *format.Footer {
	if f == nil {
		return nil
	}
	w.f = *f
	if k := f.Result.Kind; k != format.ValueUnfinished && k != format.ValueUntracked {
		w.f.Result = format.Value{Kind: format.ValueVoid}
	}
	return &w.f
}

// CutAt lets [Job.Run] visit parts of so many bytes at a time; 0 is the usual. Tests of targets make them small, so that
// small traces have many parts.
func (j *Job) CutAt(bytes int64) { j.share = bytes }

// stacks is the part of a target that adds up calls by their stacks.
type stacks struct{ *query.Stacks }

func (stacks) ownScope() {}

// ownScope is a target that applies the scope of its job itself.
type ownScope interface{ ownScope() }

// runAll is [Job.Run] for a collector that sees what the steps hide, and applies the scope itself, as
// those of package query do. It does not apply Options.Depth.
func (j *Job) runAll(ctx context.Context, c lazy.Collector, tell lazy.Progress) error {
	j.omitted.reset()
	pass := j.Scope.Over(c)
	pass.Progress, pass.Share = tell, j.share
	return j.R.Pass(ctx, pass)
}

// threadTitle returns the name of a thread, or its number if it has none.
func (j *Job) threadTitle(thread int32) string {
	if name := j.ThreadName(thread); name != "" {
		return name
	}
	return "Thread " + strconv.FormatInt(int64(thread)+1, 10)
}
