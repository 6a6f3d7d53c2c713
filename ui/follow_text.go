package ui

import (
	"cmp"
	"path/filepath"
	"time"

	"tracex/lazy"
	"tracex/ui/internal/screen"
)

// growsFor is how long after the last growth the trace is said to grow.
const growsFor = 3 * time.Second

// growth says how a trace grows that is followed, if possible in room cells.
func (m *Model) growth(st lazy.Status, room int) string {
	g, dot := st.Growth, " "+m.g.Dot+" "
	if g.Wait != nil {
		return screen.CutEnd("waiting: "+screen.ErrorLine(g.Wait), max(8, room), m.g)
	}
	if g.Grown.IsZero() {
		return "waiting for more"
	}
	since := max(0, m.clock.now().Sub(g.Grown))
	if since >= growsFor {
		text := "waiting for more"
		if ago := dot + "last growth " + screen.Remaining(since) + " ago"; screen.TextWidth(text+ago, m.g.ASCII) <= room {
			text += ago
		}
		return text
	}
	text := "growing"
	if m.follow.on {
		text = "following"
	}
	if g.Rate > 0 {
		text += dot + screen.Size(int64(g.Rate)) + "/s"
	}
	return text
}

// nothingYet says why a trace that is followed has no rows.
func (m *Model) nothingYet(st lazy.Status) string {
	if st.Growth.Wait != nil {
		name := m.o.Name
		if name == "" {
			name = m.file()
		}
		return "waiting for " + name + ": " + screen.ErrorLine(st.Growth.Wait) + "; q quits"
	}
	return "nothing is recorded yet; what comes is shown; q quits"
}

// name is what the trace is called.
func (m *Model) name() string {
	if m.o.Name != "" {
		return m.o.Name
	}
	return filepath.Base(m.file())
}

// file is the trace's file.
func (m *Model) file() string { return cmp.Or(m.o.Path, m.r.Path()) }

// pendingMark stands behind what has not ended.
func (m *Model) pendingMark() string {
	if m.known.Phase == lazy.PhaseFollowing {
		return m.g.More
	}
	return m.spinner()
}
