package ui

import (
	"cmp"
	"path/filepath"

	"tracex/lazy"
)

// name returns the name shown for the trace.
func (m *Model) name() string {
	if m.o.Name != "" {
		return m.o.Name
	}
	return filepath.Base(m.file())
}

// file returns the path of the trace's file.
func (m *Model) file() string { return cmp.Or(m.o.Path, m.r.Path()) }

// pendingMark returns the mark after a node that has not ended.
func (m *Model) pendingMark() string {
	if m.known.Phase == lazy.PhaseFollowing {
		return m.g.More
	}
	return m.spinner()
}
