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

// maxHits bounds the hits that are kept, 24 bytes each.
const maxHits = 1_000_000

// Part is the search of the explorer, if there is one, and the list of its hits.
// Its methods run on one goroutine.
type Part struct {
	r    *lazy.TraceReader
	life context.Context // ends all work
	now  func() time.Time

	cur    *search // nil: there is none
	before *search // the one that a prompt has been opened over
	list   *HitList
	sift   *sift // of the list that is shown; nil: none is under way

	Most  int           // hits that are kept
	Every time.Duration // how long news may wait; 0: what suits a screen
}

// Facts are what a search needs to know of the explorer.
type Facts struct {
	Folded, Verbose bool  // the view that is searched
	Threads         int   // of the trace
	Recorded        int64 // bytes of all threads, which grow while the trace is recorded
	Width           int   // of the screen
	Spinner         string
	Glyphs          *screen.Glyphs
}

// Outcome is what is to be done after a search was told something.
type Outcome struct {
	Message string // for the bottom line; "": none
	Alarm   bool   // the message is that something went wrong
	Goes    bool   // to Place, which is a hit
	Place   lazy.Place
	Cmd     tea.Cmd
}

func (o *Outcome) say(text string) { o.Message, o.Alarm = text, false }

// fail tells of an error, unless it is that a person stopped it.
func (o *Outcome) fail(what string, err error) {
	if !errors.Is(err, context.Canceled) {
		o.Message, o.Alarm = what+": "+screen.ErrorLine(err), true
	}
}

// New returns a Part without a search. Its work ends when life does.
func New(life context.Context, r *lazy.TraceReader, now func() time.Time) *Part {
	return &Part{r: r, life: life, now: now, Most: maxHits}
}

// Ask notes that a pattern is being typed: the search that there is stays what it
// is, and goes to no hit meanwhile.
func (p *Part) Ask() {
	p.before = p.cur
	if p.cur.running() {
		p.cur.want = nil
	}
}

// Preview shows what is typed as the pattern.
func (p *Part) Preview(what *pattern.Pattern) { p.cur = &search{p: what} }

// GiveUp goes back to the search from before Ask.
func (p *Part) GiveUp() { p.cur, p.before = p.before, nil }

// Begin starts a search in the place of the one before. It goes to the first hit
// from a place on; with here, the place itself counts.
func (p *Part) Begin(what *pattern.Pattern, from lazy.Place, here bool, f Facts) Outcome {
	return p.begin(what, &wanted{from: from, dir: 1, count: 1, here: here}, f)
}

// Begun reports whether there is a search, other than of what is being typed.
func (p *Part) Begun() bool { return p.cur != nil && p.cur.cancel != nil }

// NoSearch says that there is no search to go on with.
const NoSearch = "no search yet; press /"

// Next goes to the n-th hit from a place; dir is 1 for those after it, -1 for
// those before.
func (p *Part) Next(from lazy.Place, dir, n int, f Facts) Outcome {
	if !p.Begun() {
		return Outcome{Message: NoSearch}
	}
	out := p.goOn(&wanted{from: from, dir: dir, count: n}, f)
	if p.cur != nil && p.cur.want != nil {
		out.say("searching on; esc stops")
	}
	return out
}

// Same searches for a pattern, or goes on with the search for it, from a place.
func (p *Part) Same(what *pattern.Pattern, from lazy.Place, dir int, f Facts) Outcome {
	w := &wanted{from: from, dir: dir, count: 1}
	if p.Begun() && p.cur.p.Same(what) && p.cur.err == nil {
		return p.goOn(w, f)
	}
	return p.begin(what, w, f)
}

// Stop ends the search under way, and reports whether there was one. What it has
// found stays.
func (p *Part) Stop() bool {
	if !p.cur.running() {
		return false
	}
	p.cur.stop()
	return true
}

// Forget ends the search, and reports whether there was one.
func (p *Part) Forget() bool {
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

// Pattern is what is looked for; nil: nothing is.
func (p *Part) Pattern() *pattern.Pattern {
	if p.cur == nil {
		return nil
	}
	return p.cur.p
}

// Hits are what was found so far, by place. It must not be changed.
func (p *Part) Hits() *Hits {
	if p.cur == nil {
		return new(Hits)
	}
	return &p.cur.hits
}

// Shown is the number of the hit last gone to, from 1; 0: none.
func (p *Part) Shown() int {
	if p.cur == nil {
		return 0
	}
	return p.cur.shown
}

// Text says what was found and how far the search is, if possible in room cells.
func (p *Part) Text(room int, f Facts) string { return p.cur.text(p.now(), room, f) }

// Bytes is how much memory hits and their list take.
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
	told(p *Part, f Facts) Outcome
}

// Update takes a message of the background.
func (p *Part) Update(msg Msg, f Facts) Outcome { return msg.told(p, f) }
