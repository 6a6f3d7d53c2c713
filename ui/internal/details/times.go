package details

import (
	"strings"
	"time"

	"tracex/lazy"
	"tracex/ui/internal/nodetext"
	"tracex/ui/internal/screen"
)

// clockForm writes a moment with its date. It is in UTC, like all times of recordings.
const clockForm = "2006-01-02 15:04:05.000000 UTC"

// duration writes how long a call or a loop took. A leaf has no duration.
func (w *writer) duration(n *lazy.Node) {
	if !w.timed() || !n.Point().Class.Container() {
		return
	}
	t, ok := n.Time()
	switch {
	case ok:
		w.pair("duration", screen.Exactly(t.Duration, w.g), screen.NumberText)
		w.self(n, t)
		w.share(n, t)
	case n.State() == lazy.StateUnfinished:
		w.pair("duration", "unknown: it did not end", screen.Faint)
	default:
		w.pair("duration", "unknown", screen.Faint)
	}
	w.blank()
}

// start writes when a node began.
func (w *writer) start(n *lazy.Node) {
	anchor, timed := w.r.Times()
	if t, ok := n.Time(); ok && timed {
		w.pair("start", screen.Exactly(t.Start, w.g)+" into the recording", screen.Plain)
		w.pair("clock", anchor.Add(time.Duration(t.Start)).UTC().Format(clockForm), screen.Plain)
	}
}

func (w *writer) self(n *lazy.Node, t lazy.Time) {
	ns, exact, known := n.Self()
	if !known {
		w.pair("self", "not known yet", screen.Faint)
		return
	}
	text := screen.Exactly(ns, w.g)
	if !exact {
		w.pair("self", "at most "+text, screen.Faint)
		return
	}
	if part := screen.Share(ns, t.Duration); part != "" {
		text += ", " + part + " of the duration"
	}
	w.pair("self", text, screen.Plain)
}

// share writes a node's share of the time of its parent, and of its thread.
func (w *writer) share(n *lazy.Node, t lazy.Time) {
	var text []string
	for in := n.Parent(); in != nil; in = in.Parent() {
		name := "the thread"
		if !in.IsThread() {
			if name = w.of.Name(in); in != n.Parent() {
				continue
			}
		}
		if part := screen.Share(t.Duration, nodetext.Whole(in)); part != "" {
			text = append(text, part+" of "+name)
		}
	}
	if len(text) > 0 {
		w.pair("share", strings.Join(text, ", "), screen.Plain)
	}
}
