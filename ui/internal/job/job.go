// Package job is the work that a person asked for and waits for.
package job

import (
	"context"
	"sync/atomic"

	"tracex/lazy"
	"tracex/ui/internal/screen"
)

// Job is work such as expanding much, or going somewhere far. There is one at a
// time; a new one ends the one before. The zero value is none.
type Job struct {
	id          int // of the current or last one
	name        string
	cancel      context.CancelFunc // nil: none is under way
	rows        *atomic.Int64      // rows so far; nil: they are not counted
	done, total *atomic.Int64      // how far it has come; nil: that is not known
}

// Begin starts a job, which ends when life does. Its results carry the id, so that
// those of others are dropped: see End.
func (j *Job) Begin(life context.Context, name string) (ctx context.Context, id int) {
	j.Stop()
	j.id++
	*j = Job{id: j.id, name: name}
	ctx, j.cancel = context.WithCancel(life)
	return ctx, j.id
}

// BeginRows is Begin for a job that tells how many rows it has come to, from any
// goroutine.
func (j *Job) BeginRows(life context.Context, name string) (ctx context.Context, id int, tell func(rows int)) {
	ctx, id = j.Begin(life, name)
	rows := new(atomic.Int64)
	j.rows = rows
	return ctx, id, func(n int) { rows.Store(int64(n)) }
}

// BeginLook is Begin for a job that looks at all children of a node, and tells
// progress how far it is, from any goroutine.
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

// Stop ends the current job and reports whether there was one.
func (j *Job) Stop() bool {
	if j.cancel == nil {
		return false
	}
	j.cancel()
	j.cancel = nil
	j.id++
	return true
}

// End notes that a job has ended; false means that its result is no longer wanted.
func (j *Job) End(id int) bool { return id == j.id && j.Stop() }

// Text says what is done and how far it is: "looking for … 42 %".
func (j *Job) Text() string {
	switch {
	case j.rows != nil:
		return j.name + " " + screen.Plural(j.rows.Load(), "row")
	case j.total != nil && j.total.Load() > 0:
		return j.name + " " + screen.Percent(j.done.Load(), j.total.Load())
	}
	return j.name
}
