package search

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"tracex/ui/internal/screen"
)

// text tells what the search has found and how far it is, if possible in room cells.
func (s *search) text(now time.Time, room int, f Facts) string {
	name := s.p.Name(24, f.Glyphs)
	if s.cancel == nil { // still being typed
		return name
	}
	n := int64(s.hits.Len())
	found := s.least(f) + screen.Plural(n, "hit")
	if s.shown > 0 && n > 0 {
		found = fmt.Sprintf("%s of %s%s", screen.Grouped(int64(s.shown)), s.least(f), screen.Grouped(n))
	}
	if f.Part && n > 0 && !s.running() {
		found = screen.Grouped(int64(f.Shown)) + " shown of " + s.least(f) + screen.Grouped(n)
		if f.Shown < 0 {
			found = s.least(f) + screen.Plural(n, "hit") + ", not all shown"
		}
	}
	switch other := s.otherwise(); {
	case s.running():
		text := fmt.Sprintf("%s  %s so far %s %s", name, found, f.Spinner, s.work.percent())
		const stops = "  Esc stops"
		if rate := s.work.pace(now); screen.TextWidth(text+rate+stops, f.Glyphs.ASCII) <= room {
			text += rate
		}
		return text + stops
	case other > 0:
		return fmt.Sprintf("%s  not found %s; %s: %s", name, s.p.Reading(), s.other.Reading(), screen.Plural(int64(other), "hit"))
	case s.full:
		return fmt.Sprintf("%s  %s, the limit (%s searched)", name, found, s.work.percent())
	case s.err != nil:
		return fmt.Sprintf("%s  %s, stopped at %s", name, found, s.work.percent())
	case n == 0 && !s.outgrown(f):
		return name + "  not found"
	}
	return name + "  " + found
}

// nothing tells that nothing was found, how far the search looked, and what to try.
func (s *search) nothing(f Facts) string {
	text := "nothing found for " + s.p.Name(60, f.Glyphs) + " in " + screen.Plural(int64(f.Threads), "thread")
	if s.err != nil {
		text = "nothing found for " + s.p.Name(60, f.Glyphs) + " in the first " + s.work.percent()
	}
	if s.err != nil && !errors.Is(s.err, context.Canceled) {
		return text + ", then: " + screen.ErrorLine(s.err)
	}
	switch other := s.otherwise(); {
	case other > 0:
		return "nothing found " + s.p.Reading() + ", but " + screen.Plural(int64(other), "hit") + " " + s.other.Reading() + ": " + screen.ActionKey("next-hit", f.Glyphs) + " goes there"
	case s.p.Exact && s.p.Text != strings.ToLower(s.p.Text):
		text += "; a lower-case pattern ignores case"
	case f.Folded && s.err == nil && s.hides:
		text += "; " + screen.ActionKey("raw", f.Glyphs) + " shows the raw trace, which has more"
	}
	return text
}
