package cli

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
)

// firstSide is where a firstPlace is in one of the traces.
type firstSide struct {
	thread, text  string
	id            int32 // of the thread
	path          []string
	handle        string
	end           bool // it is the end of the event
	class         format.Class
	what          string       // the [query.Subject]
	full          string       // what it is of, with packages and types
	values, types query.Values // those that are compared
}

// readFirst reads what is at a place of a trace, or the end of it. Unless whole is set, what of it is compared is only its begin, or its end.
func readFirst(ctx context.Context, side diffSide, at lazy.Position, end, whole bool) (*firstSide, error) {
	n, err := lazy.RevealAlone(ctx, side.r.Tree(false), at)
	if err != nil {
		return nil, err
	}
	p, foot := n.Point(), n.Footer()
	s := &firstSide{thread: threadTitle(side.r, at.Thread), id: at.Thread, end: end, class: p.Class}
	if !whole && !end {
		foot = nil
	}
	side.r.WithContext(func(c *format.Context) {
		for p := n.Parent(); p != nil && !p.IsThread(); p = p.Parent() {
			s.path = append(s.path, query.Subject(c, p.Point()))
		}
		s.what, s.full = query.Subject(c, p), fullSubject(c, p)
		s.values, s.types = query.ValuesOf(c, p, foot), query.TypesOf(c, p, foot)
	})
	slices.Reverse(s.path)
	if n := len(s.path); n > mostAround {
		s.path = slices.Replace(s.path, mostAround/2, n-mostAround/2, display.Unicode.More)
	}
	var row bytes.Buffer
	if err := side.r.PrintAt(ctx, &row, lazy.PrintOptions{Escape: true}, at, false, lazy.PrintRange{}); err != nil {
		return nil, err
	}
	s.text = strings.TrimSpace(row.String())
	address := lazy.EventHandle(p.Event)
	if other, err := side.r.AlsoIn(ctx, p.Event, at, 1); err != nil || len(other) > 0 {
		address = lazy.PositionHandle(at)
	}
	s.handle = address.String()
	return s, nil
}

// fullSubject is [query.Subject] with the package and the types: "shop.Price.of(int): double".
func fullSubject(c *format.Context, p *format.Point) string {
	class := func(id int32) string {
		if d := c.Class(id); d != nil {
			return d.Name + "."
		}
		return ""
	}
	switch p.Class {
	case format.ClassCall:
		if m := c.Method(p.Ref); m != nil {
			types := make([]string, len(m.Args))
			for i := range m.Args {
				types[i] = m.Args[i].String()
			}
			return class(m.ClassID) + m.Name + "(" + strings.Join(types, ", ") + "): " + m.Result.String()
		}
	case format.ClassFieldRead, format.ClassFieldWrite:
		if f := c.Field(p.Ref); f != nil {
			return class(f.ClassID) + f.Name + ": " + f.Type.String()
		}
	case format.ClassVariableRead, format.ClassVariableWrite:
		if v := c.Variable(p.Ref); v != nil {
			return v.Name + ": " + v.Type.String()
		}
	}
	return query.Subject(c, p)
}

// around tells where it is: its thread, and what is around it, with more names at the end.
func (s *firstSide) around(more ...string) string {
	text := s.thread
	for _, name := range slices.Concat(s.path, more) {
		text += " › " + escaped(name)
	}
	return text
}

func (s *firstSide) point() *changedPoint {
	return &changedPoint{Text: s.text, Thread: s.id + 1, Handle: s.handle}
}

// command returns the command that opens it.
func (s *firstSide) command(of diffSide) string { return "tracex " + shellWord(of.name+s.handle) }

// escaped returns a text in which nothing moves the cursor.
func escaped(text string) string { return string(format.AppendEscaped(nil, text)) }

// threadTitle names a thread.
func threadTitle(r *lazy.LazyTraceReader, id int32) string {
	text := fmt.Sprintf("thread %d", int64(id)+1)
	if info, ok := r.ThreadInfo(id); ok && info.Name != "" {
		text += " (" + escaped(info.Name) + ")"
	}
	return text
}
