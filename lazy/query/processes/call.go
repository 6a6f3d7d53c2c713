package processes

import (
	"context"
	"strconv"
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
)

// How tells how sure a call is to have started a process.
type How int

const (
	Told     How = iota // the trace tells it
	Inferred            // no other goroutine of the parent had a recorded call open then
	Unknown             // several calls may have
)

// Call returns the call in the parent of a process that started it, and its event. If that is Unknown, it returns what the
// parent's main was in when the recording of the process began: the event is -1 if that is not known either.
func (a *All) Call(ctx context.Context, r *lazy.LazyTraceReader, raw bool, p *format.Process) (at lazy.Position, event int32, how How, err error) {
	if p.By != nil && !p.Became {
		at, event, err = r.Find(ctx, lazy.EventHandle(p.By.Event))
		return at, event, Told, err
	}
	ids, main, err := a.Threads(ctx, r.ThreadList(), a.Parent(p))
	at = lazy.Position{Thread: main, At: -1}
	if _, timed := r.Times(); err != nil || main < 0 || !timed || !p.Timed {
		return at, -1, Unknown, err
	}
	if !p.Became && a.infers(r, p) {
		found, event, err := query.OnlyOpen(ctx, r, ids, p.From, p.Until)
		if err != nil || event >= 0 {
			return found, event, Inferred, err
		}
	}
	at, event, err = query.InnermostAt(ctx, r, raw, main, p.Began)
	return at, event, Unknown, err
}

// infers reports whether a call may be inferred: call trees that are left out may have done it, as may, if the trace tells of the processes that
// the parent started, but not of this one, a process that ended before: the parent adopted its children.
func (a *All) infers(r *lazy.LazyTraceReader, p *format.Process) bool {
	whole := !a.Parent(p).Starts
	r.WithContext(func(c *format.Context) { whole = whole && format.SampleNote(c) == "" && len(format.Gaps(c)) == 0 })
	return whole
}

// resultHead begins the result of a wait that started a process.
const resultHead = "process "

// MadeBy reads which process a wait started: ok is false if it is none that did.
func MadeBy(foot *format.Footer) (pid int64, ok bool) {
	v := &foot.Result
	if v.Kind != format.ValueRawString && v.Kind != format.ValueBigDecimal {
		return 0, false
	}
	digits, ok := strings.CutPrefix(v.Text, resultHead)
	pid, err := strconv.ParseInt(digits, 10, 64)
	return pid, ok && err == nil && pid > 0
}
