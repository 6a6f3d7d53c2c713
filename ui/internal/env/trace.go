package env

import (
	"cmp"
	"path/filepath"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
)

// Trace is the knowledge about a trace, as of the current Update. Its methods run on one
// goroutine; those that ask the reader say so, all others may be called while drawing.
type Trace struct {
	Reader     *lazy.LazyTraceReader
	Known      lazy.Status // status of the reader, for a whole Update and for what is drawn afterwards
	Generation int         // of the reader at the last Refresh that returned true
	Recorded   int64       // bytes of all threads, at that time
	Size       Size        // at the last Refresh
	Watching   bool        // a command waits for the reader to change

	name, path string
}

// Size is how large a trace is.
type Size struct {
	Threads int
	All     lazy.Population // of all threads
	Data    int64           // size of the data file, in bytes
	Length  int64           // of the recording, in nanoseconds; negative if unknown
	Timed   bool            // the trace has times
}

// NewTrace returns the state of a trace. name and path, if not empty, replace those of the file.
func NewTrace(r *lazy.LazyTraceReader, name, path string) Trace {
	return Trace{Reader: r, Known: r.Status(), Watching: true, name: name, path: path}
}

func (s *Trace) Look() { s.Known = s.Reader.Status() }

// Refresh asks the reader how large the trace is. It returns true if the reader knows more than
// at the last Refresh, and the tree has to be brought up to date.
func (s *Trace) Refresh() (more bool) {
	size := Size{Length: -1}
	size.Threads, size.All = s.Reader.Totals()
	size.Data, _ = s.Reader.Size()
	_, size.Timed = s.Reader.Times()
	if _, length, ok := s.Reader.Recording(); ok {
		size.Length = int64(length)
	}
	s.Size = size
	if s.Generation == s.Known.Generation {
		return false
	}
	s.Generation, s.Recorded = s.Known.Generation, size.All.Bytes
	return true
}

// TraceChanged arrives when the reader has changed.
type TraceChanged struct{}

// Watch returns a command that waits for the reader to change, or until done is closed.
func (s *Trace) Watch(done <-chan struct{}) tea.Cmd {
	if !s.Watching {
		return nil
	}
	r := s.Reader
	return func() tea.Msg {
		select {
		case <-r.Changed():
			return TraceChanged{}
		case <-done:
			return nil
		}
	}
}

// Settled reports whether the reader knows the whole trace, or has failed.
func (s *Trace) Settled() bool {
	return s.Known.Phase == lazy.PhaseReady || s.Known.Phase == lazy.PhaseFailed
}

// Reading reports whether the reader is still reading the data written so far.
func (s *Trace) Reading() bool { return !s.Settled() && !s.Following() }

// Following reports whether the reader waits for the trace to grow.
func (s *Trace) Following() bool { return s.Known.Phase == lazy.PhaseFollowing }

// Timed reports whether the trace has times: it asks the reader.
func (s *Trace) Timed() bool {
	_, timed := s.Reader.Times()
	return timed
}

func (s *Trace) File() string { return cmp.Or(s.path, s.Reader.Path()) }

// Named reports whether the trace has a name of its own: its file is not the user's.
func (s *Trace) Named() bool { return s.name != "" }

func (s *Trace) Name() string { return cmp.Or(s.name, filepath.Base(s.File())) }

func (s *Trace) Troubles(g *screen.Glyphs) []string { return Troubles(s.Known, s.Size.Threads > 0, g) }

// About tells how large the trace is, the most telling part first.
func (s *Trace) About(folded bool, g *screen.Glyphs) []string {
	about := []string{display.Plural(int64(s.Size.Threads), "thread")}
	if !folded {
		about[0] = "raw, " + about[0]
	}
	least := ""
	if !s.Settled() {
		least = g.AtLeast // only part of the trace has been read
	}
	about = append(about, screen.CallsText(s.Size.All, least, g))
	if s.Size.Length >= 0 {
		about = append(about, least+g.Duration(s.Size.Length))
	}
	if s.Size.All.Counted {
		about = append(about, least+display.Shortly(s.Size.All.Events, "event"))
	}
	return append(about, display.Size(s.Size.Data))
}

// Nothing explains why there are no rows, and what to do.
func (s *Trace) Nothing(spinner string, now time.Time, g *screen.Glyphs) string {
	quits := "; " + keys.ActionKey("quit", g) + " quits"
	switch {
	case s.Following():
		return NothingYet(s.Known, cmp.Or(s.name, s.File()), g)
	case s.Known.Phase == lazy.PhaseFailed:
		return "nothing can be shown: see the line above" + quits
	case !s.Settled():
		return spinner + " " + Phase(s.Known, now)
	}
	return "this trace has no calls: nothing was recorded" + quits
}
