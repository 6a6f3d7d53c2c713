package query

import (
	"encoding/binary"

	"tracex/format"
	"tracex/lazy"
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
		x := tablesReader{b: b}
		found = x.top(t, thread)
		return nil
	})
	return found && err == nil
}

// tablesReader reads the tables of a summary, see storedTops.encode, until something is bad.
type tablesReader struct {
	b   []byte
	bad bool
}

// top reads a table into t; ok is false if it is not there.
func (x *tablesReader) top(t *Top, thread int32) (ok bool) {
	if x.next() != tablesVersion || x.flag() != t.timed {
		return false
	}
	n := x.count()
	if n > mostMethods {
		return false
	}
	groups := make([]*Group, 0, n)
	for range n {
		if x.bad {
			return false
		}
		groups = append(groups, x.group())
	}
	for n := x.count(); n > 0 && !x.bad; n-- {
		id, table := x.signed(), x.bytes()
		if id != int64(thread) {
			continue
		}
		y := tablesReader{b: table}
		all, rows := y.table(len(groups))
		if x.bad || y.bad || len(y.b) > 0 {
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
	x.numbers(&all.Calls, &all.Points, &all.Time, &all.Unended, &all.Untimed, &all.Shorter)
	rows = make([]topRow, groups)
	next := 0
	for n := x.count(); n > 0 && !x.bad; n-- {
		gap := x.next()
		if gap >= uint64(groups-next) {
			x.bad = true
			break
		}
		next += int(gap)
		r := &rows[next]
		next++
		x.numbers(&r.Calls, &r.Threw, &r.Self, &r.Total, &r.Own, &r.Points, &r.Took, &r.Timed, &r.Max, &r.Unended)
		h, rest, err := histogram.Decode(x.b)
		if err != nil {
			x.bad = true
			break
		}
		r.times, x.b = *h, rest
	}
	return all, rows
}

func (x *tablesReader) group() *Group {
	g := &Group{Unknown: x.flag(), ID: int32(x.signed()), Class: x.text(), Method: x.text()}
	n := x.count()
	types := make([]format.Type, 0, n+1)
	for range n + 1 {
		if x.bad {
			return g
		}
		types = append(types, format.Type{Kind: format.TypeKind(x.byte()), Dims: x.byte(), Class: x.text()})
	}
	name, full := x.text(), x.text()
	if g.Unknown {
		return g.named(name)
	}
	g.Args, g.Result = types[:n], types[n]
	g.nameAs(name, full)
	return g
}

func (x *tablesReader) next() uint64 {
	v, n := binary.Uvarint(x.b)
	if n <= 0 {
		x.bad, x.b = true, nil
		return 0
	}
	x.b = x.b[n:]
	return v
}

func (x *tablesReader) signed() int64 {
	v, n := binary.Varint(x.b)
	if n <= 0 {
		x.bad, x.b = true, nil
		return 0
	}
	x.b = x.b[n:]
	return v
}

func (x *tablesReader) numbers(list ...*int64) {
	for _, n := range list {
		*n = x.signed()
	}
}

// count reads a number of things, each of which has at least a byte.
func (x *tablesReader) count() int {
	n := x.next()
	if n > uint64(len(x.b)) {
		x.bad = true
		return 0
	}
	return int(n)
}

func (x *tablesReader) byte() byte {
	if len(x.b) == 0 {
		x.bad = true
		return 0
	}
	v := x.b[0]
	x.b = x.b[1:]
	return v
}

func (x *tablesReader) flag() bool { return x.byte() == 1 }

// bytes reads a size and so many bytes.
func (x *tablesReader) bytes() []byte {
	n := x.count()
	v := x.b[:n]
	x.b = x.b[n:]
	return v
}

func (x *tablesReader) text() string { return string(x.bytes()) }
