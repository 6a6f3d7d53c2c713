package env

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
)

// Trace is the knowledge about a trace, as of the current Update. Methods that ask the reader say so.
type Trace struct {
	Reader     *lazy.LazyTraceReader
	Known      lazy.Status // status of the reader, for a whole Update and for what is drawn afterwards
	Generation int         // of the reader at the last Refresh that returned true
	Recorded   int64       // bytes of all threads, at that time
	Size       Size        // at the last Refresh
	Watching   bool        // a command waits for the reader to change
	Diff       *Diff       // nil if the trace is no diff of two

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
	s := Trace{Reader: r, Known: r.Status(), Watching: true, name: name, path: path}
	if d, ok := r.Diff(); ok {
		s.Diff = new(Diff)
		s.Diff.Sides[0].Name, s.Diff.Sides[1].Name = d.Names()
	}
	return s
}

// Diff is what a diff compares.
type Diff struct {
	Sides [2]Side // A and B
	Made  bool    // by the explorer: the trace has only what differs
}

// Made reports whether the trace is a diff made by the explorer.
func (s *Trace) Made() bool { return s.Diff != nil && s.Diff.Made }

// Side is a trace that is compared. Of a diff that was stored only the name is known, or "".
type Side struct {
	Name   string
	Path   string // of its file, as the user knows it
	Reader *lazy.LazyTraceReader
}

// DiffName is the name of a diff on the screen, which tells of what it is.
func (s *Trace) DiffName(g *screen.Glyphs) string {
	a, b := s.Diff.Sides[0].Name, s.Diff.Sides[1].Name
	if a == "" || b == "" {
		return "diff  " + s.Name()
	}
	return "diff  A " + a + " " + g.Versus + " B " + b
}

func (s *Trace) Look() { s.Known = s.Reader.Status() }

// Refresh asks the reader how large the trace is, and reports whether the tree has to be brought up to date with it.
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

// lookEvery is how often the explorer looks whether the file has been recorded anew.
const lookEvery = 2 * time.Second

// Watch returns a command that waits for the reader to change, or until done is closed.
func (s *Trace) Watch(done <-chan struct{}) tea.Cmd {
	if !s.Watching {
		return nil
	}
	r := s.Reader
	return func() tea.Msg {
		look := time.NewTicker(lookEvery)
		defer look.Stop()
		for {
			select {
			case <-r.Changed():
				return TraceChanged{}
			case <-done:
				return nil
			case <-look.C:
				lazy.LookForAnother(r)
			}
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
	quits, growth := "; "+keys.ActionKey("quit", g)+" quits", s.Known.Growth
	switch {
	case s.Following() && growth.Wait != nil:
		return "waiting for " + cmp.Or(s.name, s.File()) + ": " + screen.ErrorLine(growth.Wait) + quits
	case s.Following() && growth.Behind > 0:
		return display.Size(growth.Behind) + " recorded; events appear here when the first block is complete" + quits
	case s.Following():
		return "nothing recorded yet; new events will appear here" + quits
	case s.Known.Phase == lazy.PhaseFailed:
		return "nothing can be shown: see the line above" + quits
	case !s.Settled():
		return spinner + " " + Phase(s.Known, now, math.MaxInt, g)
	}
	return "this trace has no calls: nothing was recorded" + quits
}

// Phase tells what the reader does in the background, if possible in room cells.
func Phase(st lazy.Status, now time.Time, room int, g *screen.Glyphs) string {
	what := map[lazy.Phase]string{
		lazy.PhaseOpening: "opening", lazy.PhaseUnpacking: "unpacking",
		lazy.PhaseIndexing: "reading the index", lazy.PhaseRebuilding: "rebuilding the index",
	}[st.Phase]
	if st.Growth.On {
		what = "reading"
	}
	if st.Total <= 0 {
		return what
	}
	what += " " + display.Percent(st.Done, st.Total)
	if pace := display.Pace(st.Rate(now)); g.TextWidth(what+pace) <= room {
		what += pace
	}
	return what
}

// Index tells in a word or two what the user should know about the index; "" if it is as the user wanted it.
func Index(st lazy.Status, g *screen.Glyphs) string {
	switch st.Phase {
	case lazy.PhaseFollowing:
		return "growing"
	case lazy.PhaseOpening, lazy.PhaseIndexing:
		return "index …"
	case lazy.PhaseUnpacking:
		return "unpacking " + display.Percent(st.Done, st.Total)
	case lazy.PhaseRebuilding:
		if st.Growth.On {
			return "reading " + display.Percent(st.Done, st.Total)
		}
		return "rebuilding index " + display.Percent(st.Done, st.Total)
	case lazy.PhaseFailed:
		return g.Warn + " failed"
	}
	if st.Index == lazy.IndexRebuilt && st.StoreReason != nil {
		return g.Warn + " index not stored"
	}
	return ""
}

// growsFor is how long after the last growth the trace is shown as growing.
const growsFor = 3 * time.Second

// Growth tells how a followed trace grows, if possible in room cells. stays: the cursor stays at the newest row.
func Growth(st lazy.Status, stays bool, now time.Time, room int, signs *screen.Glyphs) string {
	g, dot := st.Growth, " "+signs.Dot+" "
	if g.Wait != nil {
		return signs.CutEnd("waiting: "+screen.ErrorLine(g.Wait), max(8, room))
	}
	if g.Grown.IsZero() {
		return "waiting for more"
	}
	since := max(0, now.Sub(g.Grown))
	if since >= growsFor {
		text := "waiting for more"
		if ago := dot + "last growth " + display.Remaining(since) + " ago"; signs.TextWidth(text+ago) <= room {
			text += ago
		}
		return text
	}
	text := "growing"
	if stays {
		text = "following"
	}
	if g.Rate > 0 {
		text += dot + display.Size(int64(g.Rate)) + "/s"
	}
	return text
}

// Troubles returns the lines about what is wrong with the trace, and what that means for the user.
func (s *Trace) Troubles(g *screen.Glyphs) (lines []string) {
	st := s.Known
	if st.Replaced {
		lines = append(lines, "the file has changed since it was opened: "+keys.ActionKey("follow", g)+" shows what is there now")
	}
	if st.Ended != "" {
		lines = append(lines, st.Ended)
	}
	if st.Growth.Wait != nil && s.Size.Threads > 0 {
		lines = append(lines, "not growing: "+screen.ErrorLine(st.Growth.Wait))
	}
	if st.Problem != nil {
		lines = append(lines, problem(st, g))
	}
	var e *format.Error
	switch {
	case errors.Is(st.IndexReason, lazy.ErrIndexVersion) && errors.As(st.IndexReason, &e):
		lines = append(lines, "the index was rebuilt: it was of "+e.Found)
	case st.IndexReason != nil:
		lines = append(lines, "the stored index was not used, but rebuilt: "+screen.ErrorFact(st.IndexReason))
	}
	if st.StoreReason != nil {
		lines = append(lines, "the index is in memory only and rebuilt at each start: "+reason(st.StoreReason))
	}
	if st.TimesReason != nil {
		lines = append(lines, "no durations: "+screen.ErrorFact(st.TimesReason))
	}
	if st.InfoProblem != nil {
		lines = append(lines, "info.txt cannot be shown: "+screen.ErrorLine(st.InfoProblem))
	}
	return lines
}

// problem tells what part of the data is missing.
func problem(st lazy.Status, g *screen.Glyphs) string {
	var e *format.Error
	var file *fs.PathError
	text := screen.ErrorLine(st.Problem)
	switch {
	case st.Phase == lazy.PhaseFailed && errors.As(st.Problem, &file):
		return "no temporary file (see TMPDIR): " + reason(st.Problem)
	case st.Phase == lazy.PhaseFailed:
		return text
	case errors.Is(st.Problem, lazy.ErrRecording):
		text = "still being recorded: showing what has been written so far; " + keys.ActionKey("follow", g) + " follows it"
	case errors.Is(st.Problem, lazy.ErrUnfinished) && errors.As(st.Problem, &e):
		text = strings.Join(strings.Fields(e.Err.Error()), " ") + "; " + e.Hint
	case errors.Is(st.Problem, format.ErrTruncated) && errors.As(st.Problem, &e) && e.Offset >= 0:
		text = fmt.Sprintf("cut short at offset %s: no more can be read", display.Grouped(e.Offset))
	}
	if st.Unfinished > 0 {
		text += "; " + display.Plural(int64(st.Unfinished), "event") + " unfinished"
	}
	return text
}

// reason tells why a file could not be written, the cause before the file's name: a narrow window cuts off the end.
func reason(err error) string {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err.Error() + ", " + e.Op + " " + e.Path
	}
	return screen.ErrorLine(err)
}
