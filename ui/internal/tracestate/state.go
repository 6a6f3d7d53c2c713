// Package tracestate is what the explorer knows about the trace it shows: the status of its reader,
// its name, and how large it is.
package tracestate

import (
	"cmp"
	"path/filepath"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/nodetext"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/status"
)

// State is the knowledge about a trace, as of the current Update. Its methods run on one
// goroutine; those that ask the reader say so, all others may be called while drawing.
type State struct {
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

// New returns the state of a trace. name and path, if not empty, replace those of the file.
func New(r *lazy.LazyTraceReader, name, path string) State {
	return State{Reader: r, Known: r.Status(), Watching: true, name: name, path: path}
}

// Look asks the reader for its status.
func (s *State) Look() { s.Known = s.Reader.Status() }

// Refresh asks the reader how large the trace is. It returns true if the reader knows more than
// at the last Refresh, and the tree has to be brought up to date.
func (s *State) Refresh() (more bool) {
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

// Changed arrives when the reader has changed.
type Changed struct{}

// Watch returns a command that waits for the reader to change, or until done is closed.
func (s *State) Watch(done <-chan struct{}) tea.Cmd {
	if !s.Watching {
		return nil
	}
	r := s.Reader
	return func() tea.Msg {
		select {
		case <-r.Changed():
			return Changed{}
		case <-done:
			return nil
		}
	}
}

// Settled reports whether the reader knows the whole trace.
func (s *State) Settled() bool { return status.Settled(s.Known) }

// Reading reports whether the reader is still reading the data written so far.
func (s *State) Reading() bool { return status.Reading(s.Known) }

// Following reports whether the reader waits for the trace to grow.
func (s *State) Following() bool { return s.Known.Phase == lazy.PhaseFollowing }

// File returns the path of the trace's file.
func (s *State) File() string { return cmp.Or(s.path, s.Reader.Path()) }

// Named reports whether the trace has a name of its own: its file is not the user's.
func (s *State) Named() bool { return s.name != "" }

// Name returns the name shown for the trace.
func (s *State) Name() string { return cmp.Or(s.name, filepath.Base(s.File())) }

// Troubles returns the lines about what is wrong with the trace.
func (s *State) Troubles(g *screen.Glyphs) []string {
	return status.Troubles(s.Known, s.Size.Threads > 0, g)
}

// About tells how large the trace is, the most telling part first.
func (s *State) About(folded bool, g *screen.Glyphs) []string {
	about := []string{screen.Plural(int64(s.Size.Threads), "thread")}
	if !folded {
		about[0] = "raw, " + about[0]
	}
	least := ""
	if !s.Settled() {
		least = g.AtLeast // only part of the trace has been read
	}
	about = append(about, nodetext.Calls(s.Size.All, least, g))
	if s.Size.Length >= 0 {
		about = append(about, least+screen.Duration(s.Size.Length, g))
	}
	if s.Size.All.Counted {
		about = append(about, least+screen.Shortly(s.Size.All.Events, "event"))
	}
	return append(about, screen.Size(s.Size.Data))
}

// Nothing explains why there are no rows, and what to do.
func (s *State) Nothing(spinner string, now time.Time, g *screen.Glyphs) string {
	quits := "; " + screen.ActionKey("quit", g) + " quits"
	switch {
	case s.Following():
		return status.NothingYet(s.Known, cmp.Or(s.name, s.File()), g)
	case s.Known.Phase == lazy.PhaseFailed:
		return "nothing can be shown: see the line above" + quits
	case !s.Settled():
		return spinner + " " + status.Phase(s.Known, now)
	}
	return "this trace has no calls: nothing was recorded" + quits
}
