package export

import (
	"math"
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

// threadTitle returns the name of a thread, or its number if it has none.
func (j *Job) threadTitle(thread int32) string {
	if name := j.ThreadName(thread); name != "" {
		return name
	}
	return "Thread " + strconv.FormatInt(int64(thread)+1, 10)
}

// farAway is a moment after all others, in a trace without times.
const farAway = math.MaxInt64 / 4

// omitted counts what is not in the export, though it is in the scope.
type omitted struct {
	reads, values, undated int64
}

func (t *omitted) reset() { *t = omitted{} }

func (t *omitted) add(o *omitted) {
	t.reads += o.reads
	t.values += o.values
	t.undated += o.undated
}

// leave counts a point of a class that is not exported.
func (t *omitted) leave(c format.Class) {
	switch c {
	case format.ClassArrayRead, format.ClassVariableRead, format.ClassFieldRead:
		t.reads++
	default:
		t.values++
	}
}

// LeftOut is what is in the scope and not in the export.
type LeftOut struct {
	What  string // for as many as Count
	Count int64
}

// LeftOut tells what the last run left out.
func (j *Job) LeftOut() (list []LeftOut) {
	for _, l := range []struct {
		n            int64
		one, several string
	}{
		{j.omitted.reads, "read of a variable, field or element", "reads of variables, fields or elements"},
		{j.omitted.values, "write of a variable, field or element", "writes of variables, fields or elements"},
		{j.omitted.undated, "event of which it is not known whether it was in that time", "events of which it is not known whether they were in that time"},
	} {
		switch {
		case l.n == 1:
			list = append(list, LeftOut{l.one, 1})
		case l.n > 0:
			list = append(list, LeftOut{l.several, l.n})
		}
	}
	return list
}
