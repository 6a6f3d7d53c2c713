package filter

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"tracex/format"
	"tracex/lazy/query/nearest"
)

// sought is what a test looks for in captured values: whether any had it, and otherwise what those had that come nearest. The
// filters of an expression share it.
type sought struct {
	found  atomic.Bool
	misses atomic.Int32
	mu     sync.Mutex
	rest   string          // the shortest end of the path that was in no value; "" while nothing is known
	names  map[string]bool // that were in its place
}

// mostMisses is how many values are looked at that do not have it, mostSought how many names are kept.
const mostMisses, mostSought = 10_000, 1000

// miss notes what a value has in place of an end of the path.
func (s *sought) miss(rest string, names func(yield func(string))) {
	if s == nil || s.found.Load() || s.misses.Add(1) > mostMisses {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.rest == "" || len(rest) < len(s.rest):
		s.rest, s.names = rest, make(map[string]bool)
	case len(rest) > len(s.rest):
		return
	}
	names(func(name string) {
		if len(s.names) < mostSought {
			s.names[name] = true
		}
	})
}

// captured returns what was captured in a value along a path; nil if that was not.
func (s *sought) captured(v *format.Value, path string) *format.Value {
	for path != "" && v != nil {
		name, rest, _ := strings.Cut(path, ".")
		in := v.Captured
		v = nil
		if in == nil {
			break
		}
		n, err := strconv.Atoi(name)
		if i := slices.IndexFunc(in.Fields, func(f format.CapturedField) bool { return f.Name == name }); i >= 0 {
			v = &in.Fields[i].Value
		} else if err == nil && n >= 0 && n < len(in.Elements) {
			v = &in.Elements[n]
		} else if err != nil && len(in.Fields) > 0 {
			s.miss(path, func(yield func(string)) {
				for i := range in.Fields {
					if f := &in.Fields[i]; !f.Rest() {
						yield(f.Name)
					}
				}
			})
		}
		path = rest
	}
	if s != nil && v != nil && !s.found.Load() { // a store is for all processors
		s.found.Store(true)
	}
	return v
}

// Lost is a part of what a filter asks for that no value had which it was tested with.
type Lost struct {
	Asked string   // as the filter has it: arg.req.URL.RawQery
	Near  []string // what may be meant, spelled like it: arg.req.URL.RawQuery; the nearest first
	Names []string // what there is in place of the part that no value has, if Near is empty
}

// Lost returns what was not found in any value since the filter was parsed, although others were captured where it would be. Where
// nothing was captured, nothing is known.
func (e *Expr) Lost() (list []Lost) {
	var look func(n *node)
	look = func(n *node) {
		if n.test != nil && n.test.sought != nil {
			if l, ok := n.test.lost(); ok {
				list = append(list, l)
			}
		}
		for _, k := range n.kids {
			look(k)
		}
	}
	if e.root != nil {
		look(e.root)
	}
	return list
}

func (t *test) lost() (l Lost, ok bool) {
	s := t.sought
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.found.Load() || len(s.names) == 0 {
		return l, false
	}
	l.Asked = t.field.Name + t.operand.String()
	before := strings.TrimSuffix(l.Asked, s.rest)
	name, after, more := strings.Cut(s.rest, ".")
	if more {
		after = "." + after
	}
	for _, near := range nearest.Alike(name, maps.Keys(s.names)) {
		l.Near = append(l.Near, before+near+after)
	}
	if l.Near == nil {
		l.Names = slices.Sorted(maps.Keys(s.names))
	}
	return l, true
}

// Hint tells it in a line.
func (l *Lost) Hint() string {
	text := "no call has " + l.Asked
	switch {
	case len(l.Near) > 0:
		return text + "; the nearest: " + strings.Join(l.Near, ", ")
	case len(l.Names) > mostNames:
		return text + "; there are " + strings.Join(l.Names[:mostNames], ", ") + " and " + strconv.Itoa(len(l.Names)-mostNames) + " more"
	}
	return text + "; there are " + strings.Join(l.Names, ", ")
}
