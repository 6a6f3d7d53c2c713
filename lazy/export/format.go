package export

import (
	"context"
	"io"

	"tracex/lazy"
	"tracex/lazy/query"
)

// Format is a format that can be written. All but that of a cut are one stream of bytes.
type Format struct {
	Name   string // as in the command: perfetto
	Suffix string // of files: .pftrace
	What   string // for help: "Perfetto's TrackEvents, for ui.perfetto.dev"
	// Target is what loads such files, and Limit how many bytes of them it can; 0 for no limit.
	Target string
	Limit  int64
	// Text reports whether files are text, and Axis whether they have times on an axis.
	Text, Axis bool
	// Raw takes the points as recorded, whatever the scope says. Files means that a trace is written, which is
	// several files: see [Job.Cut].
	Raw, Files bool
	// Timed means that only a trace with times can be written.
	Timed bool

	make func(j *Job, out *output) target
}

// target writes a trace in a format. Merge writes.
type target interface {
	lazy.Collector
	start() error  // before the pass
	finish() error // after it
}

// stacks is the part of a target that adds up calls by their stacks.
type stacks struct{ *query.Stacks }

func (stacks) ownScope() {}

// ownScope is a target that applies the scope of its job itself.
type ownScope interface{ ownScope() }

// limit is a target that ends an export as soon as it is clear that it becomes too large to be loaded.
type limit struct {
	target
	f    *Format
	j    *Job
	out  *output
	tell lazy.Progress

	done, total int64
	durations   durations
}

// sure is the part of a trace, one in so many, after which the size of the whole can be estimated.
const sure = 25

func (l *limit) progress(done, total int64) {
	l.done, l.total = done, total
	if t, ok := l.target.(interface{ progress(done, total int64) }); ok {
		t.progress(done, total)
	}
	if l.tell != nil {
		l.tell(done, total)
	}
}

func (l *limit) Reset() {
	l.durations = durations{}
	l.target.Reset()
}

func (l *limit) Merge(v lazy.Visitor) error {
	if err := l.target.Merge(v); err != nil {
		return err
	}
	if c, ok := v.(clocked); ok {
		l.durations.take(&c.clock().durations)
	}
	if l.f.Limit == 0 || l.j.Force || l.done == 0 {
		return nil
	}
	size := l.out.size
	if l.done*sure >= l.total && l.done < l.total {
		size = int64(float64(size) * float64(l.total) / float64(l.done))
	}
	if l.out.size <= l.f.Limit && size <= l.f.Limit+l.f.Limit/4 { // parts of a trace differ
		return nil
	}
	e := &TooLargeError{Target: l.f.Target, Size: size, Limit: l.f.Limit}
	e.MinDur, e.Then = l.durations.shortest(size, l.f.Limit)
	return e
}

type clocked interface{ clock() *Clock }

// Write exports in a format and returns the number of bytes written. tell gets the progress; it may be nil. The
// error is a [TooLargeError] if the target could not load the result, unless the job has Force: then
// something has been written to out, which is of no use.
//
// If out can seek and be truncated, as a file can, it is begun anew should the index turn out to be wrong.
func (j *Job) Write(ctx context.Context, f *Format, out io.Writer, tell lazy.Progress) (int64, error) {
	o := &output{w: out}
	t := f.make(j, o)
	limited := &limit{target: t, f: f, j: j, out: o, tell: tell}
	if err := t.start(); err != nil {
		return o.size, err
	}
	run := j.Run
	if _, ok := t.(ownScope); ok {
		run = j.runAll
	}
	if err := run(ctx, limited, limited.progress); err != nil {
		return o.size, err
	}
	if err := t.finish(); err != nil {
		return o.size, err
	}
	o.flush()
	return o.size, o.err
}
