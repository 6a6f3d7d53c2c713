package query

import (
	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/internal/decode"
	"tracex/lazy/query/histogram"
)

// Recall takes the answer from the summary file beside the trace, if it has it: then no pass is
// needed, nor need the reader know the whole trace. A summary has methods, in the folded view, of the
// whole trace or of one of its largest threads.
func (t *Top) Recall() bool {
	s := &t.scope
	thread := int32(wholeTrace)
	switch {
	case s.Raw || s.Timed || s.edits != nil || s.where != nil || t.by != ByMethod || t.focus != nil || len(s.Ranges) > 1:
		return false
	case len(s.Ranges) == 1:
		if g := s.Ranges[0]; g.From > 0 || g.To >= 0 {
			return false
		}
		thread = s.Ranges[0].Thread
	}
	found := false
	err := lazy.SummaryOf(t.r).Tables(func(b []byte) error {
		x := tablesReader{decode.Reader{B: b}}
		found = x.top(t, thread)
		return nil
	})
	return found && err == nil
}

// tablesReader reads the tables of a summary, see storedTops.encode, until something is bad.
type tablesReader struct{ decode.Reader }

// top reads a table into t; ok is false if it is not there.
func (x *tablesReader) top(t *Top, thread int32) (ok bool) {
	if x.Next() != tablesVersion || x.flag() != t.timed {
		return false
	}
	n := x.count()
	if n > mostMethods {
		return false
	}
	groups := make([]*Group, 0, n)
	for range n {
		if x.Bad {
			return false
		}
		groups = append(groups, x.group())
	}
	for n := x.count(); n > 0 && !x.Bad; n-- {
		id, table := x.Signed(), x.Bytes()
		if id != int64(thread) {
			continue
		}
		y := tablesReader{decode.Reader{B: table}}
		all, rows := y.table(len(groups))
		if x.Bad || y.Bad || len(y.B) > 0 {
			return false
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		t.groups.mu.Lock()
		defer t.groups.mu.Unlock()
		t.groups.all, t.rows, t.all = groups, rows, all
		return true
	}
	return false
}

// table reads the table of a Top with so many groups.
func (x *tablesReader) table(groups int) (all Totals, rows []topRow) {
	x.numbers(all.stored())
	rows = make([]topRow, groups)
	next := 0
	for n := x.count(); n > 0 && !x.Bad; n-- {
		gap := x.Next()
		if gap >= uint64(groups-next) {
			x.Bad = true
			break
		}
		next += int(gap)
		r := &rows[next]
		next++
		x.numbers(r.stored())
		h, rest, err := histogram.Decode(x.B)
		if err != nil {
			x.Bad = true
			break
		}
		r.times, x.B = *h, rest
	}
	return all, rows
}

func (x *tablesReader) group() *Group {
	g := &Group{Unknown: x.flag(), ID: int32(x.Signed()), Class: x.text(), Method: x.text()}
	n := x.count()
	types := make([]format.Type, 0, n+1)
	for range n + 1 {
		if x.Bad {
			return g
		}
		types = append(types, format.Type{Kind: format.TypeKind(x.Byte()), Dims: x.Byte(), Class: x.text()})
	}
	name, full := x.text(), x.text()
	if g.Unknown {
		return g.named(name)
	}
	g.Args, g.Result = types[:n], types[n]
	g.nameAs(name, full)
	return g
}

func (x *tablesReader) numbers(list []*int64) {
	for _, n := range list {
		*n = x.Signed()
	}
}

// count reads a number of things, each of which has at least a byte.
func (x *tablesReader) count() int { return x.Count(len(x.B)) }

func (x *tablesReader) flag() bool { return x.Byte() == 1 }

func (x *tablesReader) text() string { return string(x.Bytes()) }
