package format

import (
	"bytes"
	"encoding/binary"
	"strings"
	"sync/atomic"
)

// threadNames are the names of threads, by id. There may be a million, each much like the one that was added before
// it. So a name is kept as what is between its beginning and its end that are those of the name before: of
// "goroutine 588 main.worker" after "goroutine 587 main.worker" that is "8". The first name of a group is whole.
//
//	name: uvarint bytes of the beginning │ uvarint bytes of the end │ uvarint bytes between │ these
type threadNames struct {
	numbers table[int32] // by thread: the number of its name, from 1 on, in the order in which they were added
	groups  [][]byte     // whole groups
	rest    []byte       // the names after them
	last    string       // the last one
	known   [8]atomic.Pointer[namedGroup]
}

// namedGroup is a group whose names were asked for lately: most are asked for in the order in which they were added.
type namedGroup struct {
	group, n int
	names    [nameGroup]string
}

const nameGroup = 32

func (t *threadNames) put(thread int32, name string) {
	if t.numbers.get(thread) != 0 {
		return
	}
	n := t.numbers.n
	t.numbers.put(thread, int32(n+1))
	if n > 0 && n%nameGroup == 0 {
		t.groups, t.rest, t.last = append(t.groups, bytes.Clone(t.rest)), t.rest[:0], ""
	}
	begin, most := 0, min(len(name), len(t.last))
	for begin < most && name[begin] == t.last[begin] {
		begin++
	}
	end := 0
	for most -= begin; end < most && name[len(name)-1-end] == t.last[len(t.last)-1-end]; {
		end++
	}
	between := name[begin : len(name)-end]
	for _, n := range [...]int{begin, end, len(between)} {
		t.rest = binary.AppendUvarint(t.rest, uint64(n))
	}
	t.rest, t.last = append(t.rest, between...), name
}

// get returns the name of a thread, if it has one. Any goroutine may call it, but not during put.
func (t *threadNames) get(thread int32) (name string, ok bool) {
	n := int(t.numbers.get(thread)) - 1
	if n < 0 {
		return "", false
	}
	known := &t.known[n/nameGroup%len(t.known)]
	g := known.Load()
	if g == nil || g.group != n/nameGroup || n%nameGroup >= g.n {
		g = t.decode(n / nameGroup)
		known.Store(g)
	}
	return strings.Clone(g.names[n%nameGroup]), true // whoever keeps it does not keep the group
}

func (t *threadNames) decode(group int) *namedGroup {
	b := t.rest
	if group < len(t.groups) {
		b = t.groups[group]
	}
	g := &namedGroup{group: group}
	var text strings.Builder
	last := ""
	for ; len(b) > 0; g.n++ {
		var sizes [3]int
		for i := range sizes {
			n, size := binary.Uvarint(b)
			sizes[i], b = int(n), b[size:]
		}
		if g.n == 0 {
			text.Grow((sizes[2] + 2) * nameGroup) // the others are about as long
		}
		at := text.Len()
		text.WriteString(last[:sizes[0]])
		text.Write(b[:sizes[2]])
		text.WriteString(last[len(last)-sizes[1]:])
		b, last = b[sizes[2]:], text.String()[at:]
		g.names[g.n] = last
	}
	return g
}
