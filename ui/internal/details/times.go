package details

import (
	"strings"
	"time"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

// clockForm writes a moment with its date. It is in UTC, like all times of recordings.
const clockForm = "2006-01-02 15:04:05.000000 UTC"

// duration writes how long a call or a loop took. A leaf has no duration.
func (w *writer) duration(n *lazy.Node) {
	if !w.env.Trace.Timed() || !n.Point().Class.Container() {
		return
	}
	w.section("time")
	t, ok := n.Time()
	switch f := n.Footer(); {
	case ok:
		text := w.g.Exactly(t.Duration)
		switch {
		case f.Untracked():
			text = "at least " + text + ": its end was not recorded"
		case n.Point().Flags&format.FlagUnderWay != 0:
			text = "at least " + text + ": its beginning was not recorded"
		}
		w.pair("duration", text, theme.NumberText)
		w.self(n, t)
		w.share(n, t)
	case n.State() == lazy.StateUnfinished:
		w.pair("duration", "unknown: it did not end", theme.Faint)
	default:
		w.pair("duration", "unknown", theme.Faint)
	}
}

func (w *writer) start(n *lazy.Node) {
	anchor, timed := w.env.Trace.Reader.Times()
	if t, ok := n.Time(); ok && timed {
		w.pair("start", w.g.Exactly(t.Start)+" into the recording", theme.Plain)
		w.pair("clock", anchor.Add(time.Duration(t.Start)).UTC().Format(clockForm), theme.Plain)
	}
}

func (w *writer) self(n *lazy.Node, t lazy.Time) {
	ns, exact, known := n.Self()
	if !known {
		w.pair("self", "not known yet", theme.Faint)
		return
	}
	text := w.g.Exactly(ns)
	if !exact {
		w.pair("self", "at most "+text, theme.Faint)
		return
	}
	if part := display.Share(ns, t.Duration); part != "" {
		text += ", " + part + " of the duration"
	}
	w.pair("self", text, theme.Plain)
}

// share writes a node's share of the time of its parent, and of its thread.
func (w *writer) share(n *lazy.Node, t lazy.Time) {
	var text []string
	for in := n.Parent(); in != nil; in = in.Parent() {
		name := "the thread"
		if !in.IsThread() {
			if name = w.of.name(in); in != n.Parent() {
				continue
			}
		}
		if part := display.Share(t.Duration, screen.WholeCount(in)); part != "" {
			text = append(text, part+" of "+name)
		}
	}
	if len(text) > 0 {
		w.pair("share", strings.Join(text, ", "), theme.Plain)
	}
}
