package notes

import (
	"encoding/json"
	"slices"
	"time"

	"tracex/lazy"
)

// Session is where the explorer was when it was left, and how it looked. The zero value is none.
type Session struct {
	At       lazy.Position
	Line     int // of the cursor on the screen
	Raw      bool
	Details  bool
	Source   bool
	Sizes    []int // of the panes, as the explorer has them; nil for its own choice
	Search   string
	Regex    bool            // Search is a regular expression
	Filter   string          // of the tree; "" for none
	Log      []string        // log points, as typed
	Expanded []lazy.Position // nodes that were expanded near the cursor
	Steps    []string        // that edit the tree: "merge java.util.*"
	Time     time.Time

	more members // unknown ones, kept for later versions
}

// maxExpanded bounds the nodes of a session, maxLog its log points.
const (
	maxExpanded = 1000
	maxLog      = 64
)

// maxSteps bounds the steps of a session.
const maxSteps = 1000

// sessionJSON is a Session in the file.
type sessionJSON struct {
	At       string   `json:"at"`
	Line     int      `json:"line,omitempty"`
	Raw      bool     `json:"raw,omitempty"`
	Details  bool     `json:"details,omitempty"`
	Source   bool     `json:"source,omitempty"`
	Sizes    []int    `json:"sizes,omitempty"`
	Search   string   `json:"search,omitempty"`
	Regex    bool     `json:"regex,omitempty"`
	Filter   string   `json:"filter,omitempty"`
	Log      []string `json:"log,omitempty"`
	Expanded []string `json:"expanded,omitempty"`
	Steps    []string `json:"steps,omitempty"`
}

// Some reports whether there is a session.
func (s *Session) Some() bool { return !s.Time.IsZero() }

func (s *Session) equal(o *Session) bool {
	return s.At == o.At && s.Line == o.Line && s.Raw == o.Raw && s.Details == o.Details && s.Source == o.Source && slices.Equal(s.Sizes, o.Sizes) && s.Search == o.Search &&
		s.Regex == o.Regex && s.Filter == o.Filter && s.Time.Equal(o.Time) && slices.Equal(s.Expanded, o.Expanded) &&
		slices.Equal(s.Steps, o.Steps) && slices.Equal(s.Log, o.Log)
}

// encode returns the session as JSON.
func (s *Session) encode() ([]byte, error) {
	wire := sessionJSON{
		At: lazy.PositionHandle(s.At).String(), Line: s.Line, Raw: s.Raw, Details: s.Details, Source: s.Source, Sizes: s.Sizes, Search: s.Search, Regex: s.Regex,
		Filter: s.Filter,
	}
	wire.Steps = s.Steps[:min(len(s.Steps), maxSteps)]
	for _, text := range s.Log[:min(len(s.Log), maxLog)] {
		if len(text) <= maxText {
			wire.Log = append(wire.Log, text)
		}
	}
	for _, p := range s.Expanded[:min(len(s.Expanded), maxExpanded)] {
		wire.Expanded = append(wire.Expanded, lazy.PositionHandle(p).String())
	}
	return s.more.appendTo(wire)
}

// decodeSession reads a session; ok is false if it is none.
func decodeSession(b []byte, at time.Time) (s Session, ok bool) {
	var wire sessionJSON
	if json.Unmarshal(b, &wire) != nil {
		return s, false
	}
	h, ok := lazy.ParseHandle(wire.At)
	if !ok || h.Numbered || at.IsZero() || len(wire.Search) > maxText || len(wire.Filter) > maxText ||
		len(wire.Expanded) > maxExpanded || len(wire.Steps) > maxSteps || len(wire.Log) > maxLog {
		return s, false
	}
	s = Session{
		At: h.Position, Line: max(0, min(wire.Line, 1<<16)), Raw: wire.Raw, Details: wire.Details, Source: wire.Source, Search: wire.Search, Regex: wire.Regex,
		Filter: wire.Filter, Time: at,
	}
	for _, text := range wire.Steps {
		if len(text) > maxText {
			return Session{}, false
		}
		s.Steps = append(s.Steps, text)
	}
	for _, text := range wire.Log {
		if len(text) > maxText {
			return Session{}, false
		}
	}
	s.Log = wire.Log
	for _, text := range wire.Expanded {
		h, ok := lazy.ParseHandle(text)
		if !ok || h.Numbered {
			return Session{}, false
		}
		s.Expanded = append(s.Expanded, h.Position)
	}
	for _, n := range wire.Sizes[:min(len(wire.Sizes), 8)] {
		s.Sizes = append(s.Sizes, max(0, min(n, 1<<16)))
	}
	s.more = unknown(b, "at", "line", "raw", "details", "source", "sizes", "search", "regex", "log", "filter", "expanded", "steps")
	return s, true
}
