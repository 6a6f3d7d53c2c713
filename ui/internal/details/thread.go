package details

import (
	"fmt"
	"time"

	"tracex/format"
	"tracex/lazy"
	"tracex/ui/internal/nodetext"
	"tracex/ui/internal/screen"
)

func (w *writer) thread(n *lazy.Node) {
	if t, ok := w.r.ThreadInfo(n.Thread()); ok {
		w.title(nodetext.Thread(t))
		if w.of.Started != "" {
			w.pair("goroutine", w.of.Started, screen.Plain)
		}
		w.threadTime(n)
		w.pair("size", fmt.Sprintf("%s in %s", screen.Size(t.Bytes), screen.Plural(int64(t.Blocks), "block")), screen.Plain)
		w.population(t.Population)
	}
	w.pair("children", w.children(n), screen.Plain)
	data, index := w.r.Size()
	w.blank()
	w.title("Trace")
	w.pair("file", w.of.File, screen.Plain)
	w.pair("size", screen.Size(data)+", index "+screen.Size(index), screen.Plain)
	if w.of.Summary != "" {
		w.pair("summary", w.of.Summary, screen.Plain)
	}
	_, all := w.r.Totals()
	w.population(all)
	w.length()
	w.kept()
	if i := w.r.Info(); i != nil {
		w.info(i)
	}
	for _, text := range w.of.Troubles {
		w.pair(w.g.Warn, text, screen.Alarm)
	}
	if err := w.of.Problem; err != nil {
		w.pair("in full", screen.ErrorLine(err), screen.Plain)
	}
}

// info writes what a packed trace records about its run, except the environment, which holds secrets.
func (w *writer) info(i *format.Info) {
	if i.Class != "" {
		w.pair("traced", i.Class+"."+i.Method, screen.Plain)
	}
	if i.Start > 0 {
		w.pair("recorded", time.UnixMilli(i.Start).UTC().Format("2006-01-02 15:04:05 UTC"), screen.Plain)
	}
}

// threadTime writes when a thread was recorded, and for how long.
func (w *writer) threadTime(n *lazy.Node) {
	if t, ok := n.Time(); ok && w.timed() {
		text := screen.Exactly(t.Duration, w.g) + ", from its first call to its last"
		if n.State() == lazy.StatePending {
			text += " so far"
		}
		w.pair("duration", text, screen.NumberText)
		w.start(n)
	}
}

// length writes when the recording began, and how long it is.
func (w *writer) length() {
	begin, length, ok := w.r.Recording()
	if !ok {
		return
	}
	if lazy.WallKnown(begin) {
		w.pair("began", begin.UTC().Format(clockForm), screen.Plain)
	}
	w.pair("length", screen.Exactly(int64(length), w.g), screen.Plain)
}

// population writes what a thread, or the trace, holds.
func (w *writer) population(p lazy.Population) {
	least := ""
	if !w.of.Settled {
		least = w.g.AtLeast
	}
	if p.Counted {
		w.pair("calls", least+screen.Grouped(p.Calls), screen.Plain)
		w.pair("events", least+screen.Grouped(p.Events), screen.Plain)
		return
	}
	w.pair("calls", "at most "+screen.Grouped(p.Containers)+": with loops and iterations; tracex info counts them", screen.Plain)
}

// kept writes what the memory is used for.
func (w *writer) kept() {
	stats := w.of.Stats
	text := screen.Size(stats.Bytes+w.of.HitBytes) + " of " + screen.Size(stats.Budget) + ": " + screen.Size(stats.Bytes) + " for " + screen.Plural(stats.Loaded, "event") + " loaded"
	if n := w.of.HitBytes; n > 0 {
		text += ", " + screen.Size(n) + " for hits"
	}
	if n := stats.Forgotten; n > 0 {
		text += "; " + screen.Grouped(n) + " unloaded so far"
	}
	w.pair("memory", text, screen.Plain)
}
