package ui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/screen"
)

// How long a message stays, and how long a step of the spinner takes.
const (
	messageFor = 6 * time.Second
	frameFor   = 120 * time.Millisecond
)

// status is the message on the bottom line.
type status struct {
	message string
	alarm   bool
	id      int  // of the message
	fading  bool // the message's end has been asked for
}

// say shows a message, for a while.
func (m *Model) say(text string) {
	m.status.message, m.status.alarm, m.status.fading = text, false, false
	m.status.id++
}

// warn shows a message that something went wrong.
func (m *Model) warn(text string) {
	m.say(text)
	m.status.alarm = true
}

// faded ends a message.
type faded struct{ id int }

func (f faded) apply(m *Model) tea.Cmd {
	if f.id == m.status.id {
		m.status.message = ""
	}
	return nil
}

// tick is a step of the spinner.
type tick struct{}

func (tick) apply(m *Model) tea.Cmd {
	m.spinning = false
	m.frame++
	return nil
}

// spin keeps the spinner going while something goes on, and lets a message
// fade.
func (m *Model) spin() tea.Cmd {
	var cmds []tea.Cmd
	if m.status.message != "" && !m.status.fading {
		m.status.fading = true
		cmds = append(cmds, m.clock.after(messageFor, faded{m.status.id}))
	}
	if !m.spinning && m.busy() {
		m.spinning = true
		cmds = append(cmds, m.clock.after(frameFor, tick{}))
	}
	return tea.Batch(append(cmds, m.clockTick())...)
}

func (m *Model) busy() bool {
	return m.jobs.cancel != nil || m.search.Running() || len(m.loads.underWay) > 0 || m.counts.busy || m.census.lasts() || m.reading()
}

// reading reports whether the reader reads what is there already.
func (m *Model) reading() bool { return !m.settled() && m.known.Phase != lazy.PhaseFollowing }

func (m *Model) spinner() string { return m.g.Spin[m.frame%len(m.g.Spin)] }

// changed is told when the reader has changed.
type changed struct{}

func (changed) apply(m *Model) tea.Cmd { return m.watch() }

// watch waits for the reader to change.
func (m *Model) watch() tea.Cmd {
	if !m.watching {
		return nil
	}
	r, life := m.r, m.life
	return func() tea.Msg {
		select {
		case <-r.Changed():
			return changed{}
		case <-life.Done():
			return nil
		}
	}
}

// refresh brings the tree up to date with what the reader knows.
func (m *Model) refresh() {
	m.turn()
	if g := m.known.Generation; g != m.generation {
		m.generation = g
		m.out.t.Refresh()
		_, all := m.r.Totals()
		m.recorded = all.Bytes
	}
	if m.out.cursor == (lazy.Row{}) {
		m.out.cursor, _ = m.out.t.First()
	}
}

// activity says what is going on, and how to stop it, if possible in room cells;
// "" when nothing is.
func (m *Model) activity(room int) string {
	st := m.known
	switch {
	case m.jobs.cancel != nil && m.jobs.rows != nil:
		return fmt.Sprintf("%s %s %s  esc stops", m.spinner(), m.jobs.name, screen.Plural(m.jobs.rows.Load(), "row"))
	case m.jobs.cancel != nil:
		return m.spinner() + " " + m.jobs.name + m.jobs.part.text() + "  esc stops"
	case m.search.Some():
		return m.search.Text(room, m.searchFacts())
	case m.reading():
		text := m.spinner() + " " + m.phase(st)
		if screen.TextWidth(text, m.g.ASCII) > room {
			text, _, _ = strings.Cut(text, " at ")
		}
		return text
	case m.out.goal != nil || len(m.loads.underWay) > 0:
		return m.spinner() + " loading  esc stops"
	case st.Growth.On:
		return m.growth(st, room)
	case m.counts.busy:
		return m.spinner() + " counting" + m.countingShare() + "  esc stops"
	case m.census.lasts():
		return m.spinner() + " counting calls" + m.census.part() + "  esc stops"
	}
	return ""
}

// phase says what the reader does in the background.
func (m *Model) phase(st lazy.Status) string {
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
	what += " " + screen.Percent(st.Done, st.Total)
	return what + screen.Pace(st.Rate(m.clock.now()))
}

// index says in a word or two where the index comes from.
func (m *Model) index(st lazy.Status) string {
	switch st.Phase {
	case lazy.PhaseFollowing:
		return "growing"
	case lazy.PhaseOpening, lazy.PhaseIndexing:
		return "index …"
	case lazy.PhaseUnpacking:
		return "unpacking " + screen.Percent(st.Done, st.Total)
	case lazy.PhaseRebuilding:
		if st.Growth.On {
			return "reading " + screen.Percent(st.Done, st.Total)
		}
		return "rebuilding index " + screen.Percent(st.Done, st.Total)
	case lazy.PhaseFailed:
		return m.g.Warn + " failed"
	}
	switch {
	case st.Index == lazy.IndexRebuilt && st.StoreReason != nil:
		return m.g.Warn + " index not stored"
	case st.Index == lazy.IndexRebuilt:
		return "index in memory"
	case st.Index == lazy.IndexStored:
		return "index stored " + m.g.Check
	}
	return "index " + m.g.Check
}
