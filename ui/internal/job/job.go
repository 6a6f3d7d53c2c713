// Package job is the work that the user has asked for and waits for: expanding many nodes,
// sorting, going somewhere far. A [Job] tracks it, a [Part] starts it.
package job

import (
	"context"
	"sync/atomic"

	"tracex/lazy"
	"tracex/ui/internal/screen"
)

// Job is the current job. There is one at a time: a new one stops the one before. The zero value is no job.
type Job struct {
	id          int // of the current or last one
	name        string
	cancel      context.CancelFunc // nil if none is under way
	rows        *atomic.Int64      // rows so far; nil if not counted
	done, total *atomic.Int64      // progress; nil if unknown
}

// Begin starts a job, which ends when life does. Its results carry the id, so that results of
// other jobs are dropped: see End.
func (j *Job) Begin(life context.Context, name string) (ctx context.Context, id int) {
	j.Stop()
	j.id++
	*j = Job{id: j.id, name: name}
	ctx, j.cancel = context.WithCancel(life)
	return ctx, j.id
}

// BeginRows is Begin for a job that reports how many rows it has reached. It may do so
// from any goroutine.
func (j *Job) BeginRows(life context.Context, name string) (ctx context.Context, id int, report func(rows int)) {
	ctx, id = j.Begin(life, name)
	rows := new(atomic.Int64)
	j.rows = rows
	return ctx, id, func(n int) { rows.Store(int64(n)) }
}

// BeginLook is Begin for a job that looks at all children of a node and reports its progress.
// It may do so from any goroutine.
func (j *Job) BeginLook(life context.Context, name string) (ctx context.Context, id int, progress lazy.Progress) {
	ctx, id = j.Begin(life, name)
	d, t := new(atomic.Int64), new(atomic.Int64)
	j.done, j.total = d, t
	return ctx, id, func(done, total int64) {
		d.Store(done)
		t.Store(total)
	}
}

// Running reports whether a job is under way.
func (j *Job) Running() bool { return j.cancel != nil }

// Stop stops the current job, and reports whether there was one.
func (j *Job) Stop() bool {
	if j.cancel == nil {
		return false
	}
	j.cancel()
	j.cancel = nil
	j.id++
	return true
}

// End notes that a job has ended. It returns false if the result is no longer wanted.
func (j *Job) End(id int) bool { return id == j.id && j.Stop() }

// Text tells what the job does and its progress: "looking for … 42 %".
func (j *Job) Text() string {
	switch {
	case j.rows != nil:
		return j.name + " " + screen.Plural(j.rows.Load(), "row")
	case j.total != nil && j.total.Load() > 0:
		return j.name + " " + screen.Percent(j.done.Load(), j.total.Load())
	}
	return j.name
}
