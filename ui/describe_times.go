package ui

import (
	"strings"
	"time"

	"tracex/lazy"
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
		s.pair("duration", exactly(t.Duration, m.g), numberText)
		m.describeSelf(s, n, t)
		m.describeShare(s, n, t)
	case n.State() == lazy.StateUnfinished:
		s.pair("duration", "not known: it did not end", faint)
	default:
		s.pair("duration", "not known", faint)
	}
	s.blank()
}

// describeStart writes when something began.
func (m *Model) describeStart(s *sheet, n *lazy.Node) {
	anchor, timed := m.r.Times()
	if t, ok := n.Time(); ok && timed {
		s.pair("start", exactly(t.Start, m.g)+" into the recording", plain)
		s.pair("clock", anchor.Add(time.Duration(t.Start)).UTC().Format(clockForm), plain)
	}
}

func (m *Model) describeSelf(s *sheet, n *lazy.Node, t lazy.Time) {
	ns, exact, known := n.Self()
	if !known {
		s.pair("self", "not known yet", faint)
		return
	}
	text := exactly(ns, m.g)
	if !exact {
		s.pair("self", "at most "+text, faint)
		return
	}
	if part := share(ns, t.Duration); part != "" {
		text += ", " + part + " of the duration"
	}
	s.pair("self", text, plain)
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
		if part := share(t.Duration, wholeOf(in)); part != "" {
			text = append(text, part+" of "+name)
		}
	}
	if len(text) > 0 {
		s.pair("share", strings.Join(text, ", "), plain)
	}
}

// describeThreadTime writes when a thread recorded, and how long.
func (m *Model) describeThreadTime(s *sheet, n *lazy.Node) {
	if t, ok := n.Time(); ok && m.timed() {
		text := exactly(t.Duration, m.g) + ", from its first call to its last"
		if n.State() == lazy.StatePending {
			text += " so far"
		}
		s.pair("duration", text, numberText)
		m.describeStart(s, n)
	}
}

// describeLength writes when the recording began, and how long it is.
func (m *Model) describeLength(s *sheet) {
	begin, length, ok := m.r.Recording()
	if !ok {
		return
	}
	s.pair("began", begin.UTC().Format(clockForm), plain)
	s.pair("length", exactly(int64(length), m.g), plain)
}
