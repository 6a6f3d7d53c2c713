package lazy

import (
	"strconv"

	"tracex/format"
)

// appendThread appends what a thread is called: its number, counted from 1,
// and its name.
func appendThread(dst []byte, c *format.Context, thread int32) []byte {
	dst = strconv.AppendInt(append(dst, "Thread "...), int64(thread)+1, 10)
	if name := c.Thread(thread); name != nil && name.Name != "" {
		dst = append(append(append(dst, ' ', '('), name.Name...), ')')
	}
	return dst
}

// ThreadInfo is what is known of a thread.
type ThreadInfo struct {
	ID         int32
	Name       string // "" when it is not known, or has none
	Blocks     int
	Bytes      int64 // of its stream
	Containers int64 // calls, loops and iterations whose end is known
	// Calls and Events are how many calls there are, and events of all kinds,
	// in what is known. An index does not tell: then Counted is false until a
	// Census has been taken, and no more than Containers are calls.
	Calls, Events int64
	Counted       bool
}

// threadList is what Threads returned, and what it was made from.
type threadList struct {
	list    []ThreadInfo
	v       *view
	tallies *map[int32]tally
	names   int                // that were known
	first   *format.ThreadName // one of them: those of another file are others
}

// Threads returns the threads known so far, by id. The list is shared, and made
// anew only when more is known: it must not be changed.
func (r *TraceReader) Threads() (list []ThreadInfo) {
	r.WithContext(func(c *format.Context) {
		v, tallies := r.known.Load(), r.tallies.Load()
		if was := r.threads.Load(); was != nil && was.v == v && was.tallies == tallies && was.has(c) {
			list = was.list
			return
		}
		made := &threadList{list: make([]ThreadInfo, len(v.streams)), v: v, tallies: tallies, names: c.ThreadNames()}
		for i, s := range v.streams {
			made.list[i] = ThreadInfo{ID: s.thread, Blocks: len(s.blocks), Bytes: s.size, Containers: s.cells.len()}
			if n, ok := r.tallyOf(v, s); ok {
				made.list[i].Calls, made.list[i].Events, made.list[i].Counted = n.calls, n.events, true
			}
			if name := c.Thread(s.thread); name != nil {
				made.list[i].Name, made.first = name.Name, name
			}
		}
		r.threads.Store(made)
		list = made.list
	})
	return list
}

// has reports whether the list has all names that are known by now.
func (l *threadList) has(c *format.Context) bool {
	return l.names == c.ThreadNames() && (l.first == nil || c.Thread(l.first.Thread) == l.first)
}
