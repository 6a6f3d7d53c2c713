package details

import (
	"fmt"
	"strings"
	"time"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

func (w *writer) thread(n *lazy.Node) {
	if t, ok := w.env.Trace.Reader.ThreadInfo(n.Thread()); ok {
		w.title(screen.Thread(t))
		if w.env.Trace.Made() {
			w.pair("children", w.children(n)+", in the diff", theme.Plain)
			w.section("")
			w.overview()
			return
		}
		if by := w.p.starts.Told(n); by != "" {
			w.pair("goroutine", by, theme.Plain)
		}
		if process, started := w.p.starts.Process(n); process != "" {
			w.pair("process", process, theme.Plain)
			if started != "" {
				w.pair("started", started, theme.Plain)
			}
		}
		w.threadTime(n)
		w.pair("size", fmt.Sprintf("%s in %s", display.Size(t.Bytes), display.Plural(int64(t.Blocks), "block")), theme.Plain)
		w.population(t.Population)
	}
	w.pair("children", w.children(n), theme.Plain)
	data, index := w.env.Trace.Reader.Size()
	w.section("")
	w.title("Trace")
	w.pair("file", w.env.Trace.File(), theme.Plain)
	w.pair("size", display.Size(data)+", index "+display.Size(index), theme.Plain)
	switch size, why := lazy.SummaryOf(w.env.Trace.Reader).Known(); {
	case why != nil:
		w.pair("summary", "none: "+screen.ErrorLine(why), theme.Plain)
	case size > 0:
		w.pair("summary", display.Size(size), theme.Plain)
	}
	_, all := w.env.Trace.Reader.Totals()
	w.population(all)
	if begin, length, ok := w.env.Trace.Reader.Recording(); ok {
		if lazy.WallKnown(begin) {
			w.pair("began", begin.UTC().Format(clockForm), theme.Plain)
		}
		w.pair("length", w.g.Exactly(int64(length)), theme.Plain)
	}
	w.kept()
	if i := w.env.Trace.Reader.Info(); i != nil { // of a packed trace; its environment holds secrets
		if i.Class != "" {
			w.pair("traced", i.Class+"."+i.Method, theme.Plain)
		}
		if i.Start > 0 {
			w.pair("recorded", time.UnixMilli(i.Start).UTC().Format("2006-01-02 15:04:05 UTC"), theme.Plain)
		}
	}
	for _, text := range w.env.Trace.Troubles(w.g) {
		w.pair(w.g.Warn, text, theme.Alarm)
	}
	if err := w.env.Trace.Known.Problem; err != nil {
		w.pair("in full", screen.ErrorLine(err), theme.Plain)
	}
	w.section("")
	w.overview()
}

// overview writes what is worth knowing about the trace, as far as it was found.
func (w *writer) overview() {
	for i, l := range w.p.about.Found {
		at := 0
		if !l.Head {
			at = 2
		} else if i > 0 {
			w.section("")
		}
		text, spans := w.p.about.Text(&l, w.width)
		if l.Leads || l.Bar > 0 {
			w.add("", at, text, spans, screen.OfTable) // all of it is where it leads
			continue
		}
		w.wrap("", at, text, spans, screen.OfTable)
	}
	if text := w.p.about.Progress(); text != "" {
		w.wrap("", 0, text, screen.Whole(text), screen.Always(theme.Faint))
	}
}

// threadTime writes when a thread was recorded, and for how long.
func (w *writer) threadTime(n *lazy.Node) {
	if t, ok := n.Time(); ok && w.env.Trace.Timed() {
		text := w.g.Exactly(t.Duration) + ", from its first call to its last"
		if n.State() == lazy.StatePending {
			text += " so far"
		}
		w.pair("duration", text, theme.NumberText)
		w.start(n)
	}
}

// population writes what a thread, or the trace, holds.
func (w *writer) population(p lazy.Population) {
	least := ""
	if !w.env.Trace.Settled() {
		least = w.g.AtLeast
	}
	if p.Counted {
		w.pair("calls", least+display.Grouped(p.Calls), theme.Plain)
		w.pair("events", least+display.Grouped(p.Events), theme.Plain)
		return
	}
	w.pair("calls", "at most "+display.Grouped(p.Containers)+": with loops and iterations; tracex info counts them", theme.Plain)
}

// kept writes what the memory is used for.
func (w *writer) kept() {
	stats, hits := w.p.tree.Out.Tree.Stats(), w.p.search.Bytes()
	text := display.Size(stats.Bytes+hits) + " of " + display.Size(stats.Budget) + ": " + display.Size(stats.Bytes) + " for " + display.Plural(stats.Loaded, "event") + " loaded"
	if hits > 0 {
		text += ", " + display.Size(hits) + " for hits"
	}
	if n := stats.Forgotten; n > 0 {
		text += "; " + display.Grouped(n) + " unloaded so far"
	}
	w.pair("memory", text, theme.Plain)
}

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
		if ns, ok := w.p.state.waitedIn(n); ok {
			w.pair("waiting", partOf(w.g, ns, t), theme.Plain)
		}
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
	if !exact {
		w.pair("self", "at most "+w.g.Exactly(ns), theme.Faint)
		return
	}
	w.pair("self", partOf(w.g, ns, t), theme.Plain)
}

// partOf writes a part of a duration.
func partOf(g *screen.Glyphs, ns int64, t lazy.Time) string {
	text := g.Exactly(ns)
	if part := display.Share(ns, t.Duration); part != "" {
		text += ", " + part + " of the duration"
	}
	return text
}

// share writes a node's share of the time of its parent, and of its thread.
func (w *writer) share(n *lazy.Node, t lazy.Time) {
	var text []string
	for in := n.Parent(); in != nil; in = in.Parent() {
		name := "the thread"
		if !in.IsThread() {
			if name = w.p.tree.Out.ShortName(in); in != n.Parent() {
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
