package query

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"tracex/lazy"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/places"
	"tracex/lazy/query/template"
)

// LogPoint says what is printed of the points that match a filter.
type LogPoint struct {
	Where  *filter.Expr
	Format *template.Template // nil for the line as rows show it
}

// ParseLogPoint parses FILTER: "FORMAT", or a filter alone. The errors are those of [template.ParseLog].
func ParseLogPoint(text string) (LogPoint, error) {
	where, format, err := template.ParseLog(text)
	return LogPoint{where, format}, err
}

// Log is lines for the points that match filters, in the order of all threads. A point that matches
// several filters has a line for each.
type Log struct {
	Timeline lazy.Timeline

	r       *lazy.LazyTraceReader
	scope   Scope
	points  []LogPoint
	entries []logEntry
	full    bool     // the first l.most entries are sorted; what comes after them is dropped
	dropped int64    // entries after those kept
	last    logEntry // the last one added; thread -1 at first
	most    int
	share   int64 // of the pass, see [lazy.Pass.Share]
}

// logEntry is a line.
type logEntry struct {
	key    int64 // of the timeline: not less than that of the thread's line before
	at     int64 // logical offset of the point
	thread int32
	point  int16 // which log point
	exact  bool  // key is when it was; otherwise it was then or later
}

const (
	// MostLogged is how many lines are kept: the first ones.
	MostLogged = 1 << 19
	// MostLogPoints is how many log points a Log may have.
	MostLogPoints = 64
)

// NewLog prepares a log of a scope.
func NewLog(r *lazy.LazyTraceReader, s Scope, points []LogPoint) *Log {
	l := &Log{r: r, scope: s, points: points, most: MostLogged, share: busyShare}
	l.Reset()
	return l
}

// Run finds the points. tell gets the progress, on the caller's goroutine; it may be nil. The error may
// be a [filter.Error].
func (l *Log) Run(ctx context.Context, tell lazy.Progress) (err error) {
	if l.Timeline, err = lazy.TimelineOf(ctx, l.r); err != nil {
		return err
	}
	c := &logCollector{Log: l}
	for _, p := range l.points {
		b, err := bound(l.r, l.scope.with(p.Where))
		if err != nil {
			return err
		}
		cond, err := prepare(ctx, l.r, b, l.scope.Over)
		if err != nil {
			return err
		}
		c.where = append(c.where, cond)
	}
	c.pool.renew(c.visitor)
	pass := l.scope.Over(c)
	pass.Progress, pass.Share = tell, l.share
	if err = l.r.Pass(ctx, pass); errors.Is(err, errFalls) {
		l.Timeline = lazy.TimelineNone
		err = l.r.Pass(ctx, pass)
	}
	l.sort()
	return err
}

// Count returns how many lines there are, and how many more were found that are not kept.
func (l *Log) Count() (kept int, more int64) { return len(l.entries), l.dropped }

// Places returns where the events of the lines kept are. An event with several lines is there once.
func (l *Log) Places(bool) *places.Set {
	at := make([]lazy.Position, len(l.entries))
	for i, e := range l.entries {
		at[i] = lazy.Position{Thread: e.thread, At: e.at}
	}
	return PlacesOf(at) // what is dropped comes later, in time: it may be anywhere among these
}

// Reset discards everything found.
func (l *Log) Reset() {
	l.entries, l.full, l.dropped, l.last = nil, false, 0, logEntry{thread: -1}
}

// compare puts entries in order. No two are the same.
func (e *logEntry) compare(o *logEntry) int {
	return cmp.Or(cmp.Compare(e.key, o.key), cmp.Compare(e.thread, o.thread), cmp.Compare(e.at, o.at), cmp.Compare(e.point, o.point))
}

// sort sorts the entries, and drops the last ones if there are too many.
func (l *Log) sort() {
	slices.SortFunc(l.entries, func(a, b logEntry) int { return a.compare(&b) })
	if n := len(l.entries) - l.most; n >= 0 {
		l.dropped += int64(n)
		l.entries, l.full = l.entries[:l.most], true
	}
}

// add adds the entries of a part. If they would be too many, the last ones go.
func (l *Log) add(list []logEntry) error {
	for i := range list {
		e := &list[i]
		if was := &l.last; was.thread == e.thread {
			if e.key < was.key && l.Timeline == lazy.TimelineEvents {
				return errFalls
			}
			e.key = max(e.key, was.key)
		}
		if l.last = *e; l.full && e.compare(&l.entries[l.most-1]) > 0 {
			l.dropped++
			continue
		}
		if l.entries = append(l.entries, *e); len(l.entries) >= l.most+max(l.most/4, 1) {
			l.sort()
		}
	}
	return nil
}

// logCollector collects the entries of a Log.
type logCollector struct {
	*Log
	where []*condition
	pool  partPool[*logVisitor]
}

func (c *logCollector) Visitor() lazy.Visitor { return c.pool.get() }

func (c *logCollector) visitor() *logVisitor {
	v := &logVisitor{l: c.Log}
	for _, w := range c.where {
		v.m = append(v.m, w.matcher())
	}
	return v
}

func (c *logCollector) Merge(v lazy.Visitor) error {
	part := v.(*logVisitor)
	if err := c.add(part.found); err != nil {
		return err
	}
	c.pool.put(part)
	return nil
}

// logVisitor is its visitor.
type logVisitor struct {
	l     *Log
	m     []*matcher
	found []logEntry
}

func (v *logVisitor) clear() { v.found = v.found[:0] }

func (v *logVisitor) Begin(int32, []lazy.PassFrame) {
	for _, m := range v.m {
		m.begin()
	}
}

func (v *logVisitor) Around(p *lazy.PassPoint) { v.enter(p) }
func (v *logVisitor) Leaf(p *lazy.PassPoint)   { v.test(p) }

func (v *logVisitor) Enter(p *lazy.PassPoint) {
	v.test(p)
	v.enter(p)
}

func (v *logVisitor) enter(p *lazy.PassPoint) {
	for _, m := range v.m {
		m.enter(p)
	}
}

func (v *logVisitor) Exit(*lazy.PassPoint) {
	for _, m := range v.m {
		m.exit()
	}
}

func (v *logVisitor) test(p *lazy.PassPoint) {
	for i, m := range v.m {
		if !m.match(p) {
			continue
		}
		e := logEntry{at: p.At, thread: p.Thread, point: int16(i), exact: true}
		switch v.l.Timeline {
		case lazy.TimelineEvents:
			e.key = int64(p.Event)
		case lazy.TimelineTimes:
			var to int64
			e.key, to, _ = p.When()
			e.exact = e.key == to
			if s := &v.l.scope; s.Timed && (e.key < s.From || e.key >= s.To) {
				continue
			}
		default: // one thread after the other
			e.key = int64(p.Thread)
		}
		v.found = append(v.found, e)
	}
}
