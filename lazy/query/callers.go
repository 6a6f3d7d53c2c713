package query

import (
	"slices"
	"strings"

	"tracex/format"
	"tracex/lazy"
)

// Callers finds the paths by which methods are called, or what they call. It is a Collector of a
// pass; any goroutine may ask it for what has been merged so far.
//
// With a filter, only the calls of the methods that match it count; the calls around them and below
// them do, whether they match or not.
//
// Callers by total: each outermost call of the methods adds its time to every call around it, so
// the root has the total of the methods, and nothing counts twice; calls of them within one another
// are counted under the root's child of the same method. By self: each call adds its own time.
// Callees: each path from an outermost call downward.
type Callers struct {
	*Top
	methods []string // names of the methods asked for, of those in the trace
	root    string   // the same in the first row: a method alone as in the other rows
}

// NewCallers returns the Callers of a trace. The error tells which methods have similar names if
// none has that of the options.
func NewCallers(r *lazy.LazyTraceReader, scope Scope, o CallersOptions) (*Callers, error) {
	m, err := methodNamed(r, o.Method)
	if err != nil {
		return nil, err
	}
	f := &focus{CallersOptions: o, filtered: scope.where != nil, names: m.names}
	if f.filter, err = bound(r, m.expr); err != nil {
		return nil, err
	}
	groups, root := newGroups(r, ByMethod), strings.Join(f.names, ", ")
	if len(m.ids) == 1 {
		r.WithContext(func(*format.Context) {
			_, g := groups.describe(m.ids[0])
			root = g.names[0]
		})
	}
	t := &Top{r: r, scope: scope, focus: f}
	_, t.timed = r.Times()
	t.Reset()
	return &Callers{t, f.names, root}, nil
}

// On returns the calls on the path of [CallersOptions].On that have been merged so far, in the order of the trace.
func (c *Callers) On() []HistoryPoint {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := slices.Clone(c.focus.on)
	slices.SortFunc(list, func(a, b HistoryPoint) int { return ComparePlaces(a.Position, b.Position) })
	return list
}
