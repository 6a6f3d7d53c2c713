package ui

import (
	"strings"
	"time"

	"tracex/lazy"
	"tracex/ui/internal/screen"
)

// clockForm writes a moment with its date. It is UTC, as all that is said of
// when a trace was recorded.
const clockForm = "2006-01-02 15:04:05.000000 UTC"

// describeDuration writes how long a call or a loop took. There is nothing to
// say of a leaf, which has no time of its own.
func (m *Model) describeDuration(s *sheet, n *lazy.Node) {
	if !m.timed() || !n.Point().Class.Container() {
		return
	}
	t, ok := n.Time()
	switch {
	case ok:
		s.pair("duration", screen.Exactly(t.Duration, m.g), screen.NumberText)
		m.describeSelf(s, n, t)
		m.describeShare(s, n, t)
	case n.State() == lazy.StateUnfinished:
		s.pair("duration", "not known: it did not end", screen.Faint)
	default:
		s.pair("duration", "not known", screen.Faint)
	}
	s.blank()
}

// describeStart writes when something began.
func (m *Model) describeStart(s *sheet, n *lazy.Node) {
	anchor, timed := m.r.Times()
	if t, ok := n.Time(); ok && timed {
		s.pair("start", screen.Exactly(t.Start, m.g)+" into the recording", screen.Plain)
		s.pair("clock", anchor.Add(time.Duration(t.Start)).UTC().Format(clockForm), screen.Plain)
	}
}

func (m *Model) describeSelf(s *sheet, n *lazy.Node, t lazy.Time) {
	ns, exact, known := n.Self()
	if !known {
		s.pair("self", "not known yet", screen.Faint)
		return
	}
	text := screen.Exactly(ns, m.g)
	if !exact {
		s.pair("self", "at most "+text, screen.Faint)
		return
	}
	if part := screen.Share(ns, t.Duration); part != "" {
		text += ", " + part + " of the duration"
	}
	s.pair("self", text, screen.Plain)
}

// describeShare writes what part a node is of the one around it, and of its
// thread.
func (m *Model) describeShare(s *sheet, n *lazy.Node, t lazy.Time) {
	var text []string
	for in := n.Parent(); in != nil; in = in.Parent() {
		name := "the thread"
		if !in.IsThread() {
			if name = m.shortName(in); in != n.Parent() {
				continue
			}
		}
		if part := screen.Share(t.Duration, wholeOf(in)); part != "" {
			text = append(text, part+" of "+name)
		}
	}
	if len(text) > 0 {
		s.pair("share", strings.Join(text, ", "), screen.Plain)
	}
}

// describeThreadTime writes when a thread recorded, and how long.
func (m *Model) describeThreadTime(s *sheet, n *lazy.Node) {
	if t, ok := n.Time(); ok && m.timed() {
		text := screen.Exactly(t.Duration, m.g) + ", from its first call to its last"
		if n.State() == lazy.StatePending {
			text += " so far"
		}
		s.pair("duration", text, screen.NumberText)
		m.describeStart(s, n)
	}
}

// describeLength writes when the recording began, and how long it is.
func (m *Model) describeLength(s *sheet) {
	begin, length, ok := m.r.Recording()
	if !ok {
		return
	}
	s.pair("began", begin.UTC().Format(clockForm), screen.Plain)
	s.pair("length", screen.Exactly(int64(length), m.g), screen.Plain)
}
