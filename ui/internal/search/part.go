package search

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/pattern"
	"tracex/ui/internal/screen"
)

// maxHits bounds the hits kept, 24 bytes each.
const maxHits = 1_000_000

// Part is the search of the explorer, if there is one, and the list of its hits. Its methods
// run on one goroutine.
type Part struct {
	r    *lazy.LazyTraceReader
	life context.Context // ends all work
	now  func() time.Time

	cur    *search // nil if none
	before *search // the one that a prompt has been opened over
	list   *HitList
	filter *hitFilter // of the list shown; nil if none is under way

	Most  int           // maximum number of hits kept
	Every time.Duration // how long news may wait; 0 for a value that suits a screen
}

// Facts are what a search needs to know about the explorer.
type Facts struct {
	Folded, Verbose bool  // the view to search
	Threads         int   // of the trace
	Recorded        int64 // bytes of all threads, which grow while the trace is being recorded
	Width           int   // of the screen
	// Part tells that the tree may not show all hits: their owner goes from hit to hit. Shown is how many it shows; -1 if
	// that is not known.
	Part    bool
	Shown   int
	Spinner string
	Glyphs  *screen.Glyphs
}

// Outcome is what to do after a search has handled an event.
type Outcome struct {
	Message  string // for the bottom line; "" if none
	Alarm    bool   // the message reports a failure
	Goes     bool   // to Position, which is a hit
	Position lazy.Position
	Cmd      tea.Cmd
}

func (o *Outcome) say(text string) { o.Message, o.Alarm = text, false }

// fail reports an error, unless the user stopped the work.
func (o *Outcome) fail(what string, err error) {
	if !errors.Is(err, context.Canceled) {
		o.Message, o.Alarm = what+": "+screen.ErrorLine(err), true
	}
}

// New returns a Part without a search. Its work ends when life does.
func New(life context.Context, r *lazy.LazyTraceReader, now func() time.Time) *Part {
	return &Part{r: r, life: life, now: now, Most: maxHits}
}

// Ask notes that a pattern is being typed. The current search is kept, and goes to no hit meanwhile.
func (p *Part) Ask() {
	p.before = p.cur
	if p.cur.running() {
		p.cur.want = nil
	}
}

// Preview shows the text typed as the pattern.
func (p *Part) Preview(what *pattern.Pattern) { p.cur = &search{p: what} }

// GiveUp returns to the search from before Ask.
func (p *Part) GiveUp() { p.cur, p.before = p.before, nil }

// Begin starts a search that replaces the one before. It goes to the first hit after a position;
// with here, the position itself counts.
func (p *Part) Begin(what *pattern.Pattern, from lazy.Position, here bool, f Facts) Outcome {
	return p.begin(what, &wanted{from: from, dir: 1, count: 1, here: here}, f)
}

// Begun reports whether a search has begun, other than a preview.
func (p *Part) Begun() bool { return p.cur != nil && p.cur.cancel != nil }

// NoSearch explains that there is no search to continue.
func NoSearch(g *screen.Glyphs) string {
	return "no search yet; press " + screen.ActionKey("search", g)
}

// Next goes to the n-th hit from a position; dir is 1 for those after it, -1 for those before.
func (p *Part) Next(from lazy.Position, dir, n int, f Facts) Outcome {
	if !p.Begun() {
		return Outcome{Message: NoSearch(f.Glyphs)}
	}
	out := p.continueTo(&wanted{from: from, dir: dir, count: n}, f)
	if p.cur != nil && p.cur.want != nil {
		out.say("still searching; Esc stops")
	}
	return out
}

// Same searches for a pattern from a position, or continues the search for it.
func (p *Part) Same(what *pattern.Pattern, from lazy.Position, dir int, f Facts) Outcome {
	w := &wanted{from: from, dir: dir, count: 1}
	if p.Begun() && p.cur.p.Same(what) && p.cur.err == nil {
		if f.Part {
			return Outcome{}
		}
		return p.continueTo(w, f)
	}
	return p.begin(what, w, f)
}

// Again searches for the pattern once more, as the view has changed; it goes to no hit. The pattern stays if there
// was no search but one that is being typed.
func (p *Part) Again(from lazy.Position, f Facts) (out Outcome) {
	if !p.Begun() {
		return out
	}
	what := p.cur.p
	out = p.begin(what, &wanted{from: from, dir: 1}, f)
	p.cur.want = nil
	return out
}

// UseOther goes on with the other reading of the pattern, if only that has hits, and reports whether it does.
func (p *Part) UseOther() bool {
	if !p.Begun() || p.cur.otherwise() == 0 {
		return false
	}
	p.cur.useOther()
	return true
}

// At notes where the cursor is: the hit there, if there is one, is the one last gone to.
func (p *Part) At(at lazy.Position) {
	if !p.Begun() || p.cur.want != nil {
		return
	}
	if i, exact := p.cur.hits.Find(at); exact {
		p.cur.shown = i + 1
	}
}

// Stop stops the search under way, and reports whether there was one. Its hits stay.
func (p *Part) Stop() bool {
	if !p.cur.running() {
		return false
	}
	p.cur.stop()
	return true
}

// End ends the search, and reports whether there was one.
func (p *Part) End() bool {
	if p.cur == nil {
		return false
	}
	if p.cur.cancel != nil {
		p.cur.cancel()
	}
	p.cur = nil
	return true
}

// Some reports whether there is a search, or a pattern is being typed.
func (p *Part) Some() bool { return p.cur != nil }

// Running reports whether a search is under way.
func (p *Part) Running() bool { return p.cur.running() }

// Pattern returns the current pattern, or nil if none.
func (p *Part) Pattern() *pattern.Pattern {
	if p.cur == nil {
		return nil
	}
	return p.cur.p
}

// Hits returns the hits found so far, by position. Callers must not change them.
func (p *Part) Hits() *Hits {
	if p.cur == nil {
		return new(Hits)
	}
	return &p.cur.hits
}

// Shown returns the number of the hit last gone to, from 1; 0 if none.
func (p *Part) Shown() int {
	if p.cur == nil {
		return 0
	}
	return p.cur.shown
}

// Text tells what was found and how far the search is, if possible in room cells.
func (p *Part) Text(room int, f Facts) string { return p.cur.text(p.now(), room, f) }

// Bytes returns the memory that hits and their list take.
func (p *Part) Bytes() (n int64) {
	if s := p.cur; s != nil {
		n += s.hits.bytes() + s.others.bytes()
	}
	if p.list != nil {
		n += p.list.bytes()
	}
	return n
}

// Msg is a message of a search's work in the background.
type Msg interface {
	apply(p *Part, f Facts) Outcome
}

// Update handles a message from the background.
func (p *Part) Update(msg Msg, f Facts) Outcome { return msg.apply(p, f) }
