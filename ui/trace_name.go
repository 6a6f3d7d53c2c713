package ui

import (
	"cmp"
	"path/filepath"

	"tracex/lazy"
)

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
