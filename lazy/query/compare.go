package query

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"tracex/format"
	"tracex/lazy"
)

// Compare tells where two parts of a trace differ: two calls, loops or iterations with everything in
// them, A and B. It has the first places where they do, and, for each method, how much each has of it.
//
// Events are the same if they are of one kind and of one method, field, variable or loop. Their values
// are the same if the text of their rows shows the same, with objects by their class alone. Locations
// in the source, numbers of events and of iterations, and times make no difference. A part that did
// not end is the same only as another that did not. The two are walked in step, so what follows the
// first event that only one has is compared by the sums alone.
//
// It runs its passes itself; any goroutine may ask it for what has been found so far.
type Compare struct {
	r     *lazy.LazyTraceReader
	scope Scope // neither A nor B: the view, and the steps
	timed bool
	chunk int64          // bytes of a side that are read at first
	share int64          // see [lazy.Pass.Share]
	sides [2]lazy.Handle // A and B

	mu    sync.Mutex // guards the fields below
	found comparison
}

// comparison is what a Compare has found.
type comparison struct {
	sides  [2]comparedSide
	walked bool     // the places are final
	same   int64    // events before the first that only one has, or all
	others int64    // values that differ among these events: of an event, or of the end of one
	own    *Parting // a value of A and B themselves: an argument, a result
	value  *Parting // of what is in them
	event  *Parting
	counts [2]*Top // nil before their passes
	shared bool    // one is within the other
}

// comparedSide is A or B.
type comparedSide struct {
	name  string     // of its event, and its row with objects by class
	state lazy.State // of its end
}

// Parting is where two parts of a trace differ.
type Parting struct {
	Same  int64 // events before it
	Sides [2]PartingSide
}

// PartingSide is a place where A or B differs from the other.
type PartingSide struct {
	Position lazy.Position
	Event    int32
	// End tells that it is the end of what begins there: the other side goes on, or has another
	// result. Missing tells that nothing was recorded there; the place is then that of the whole side.
	End, Missing bool
	State        lazy.State // of its end
	Text         Styled     // its row, with objects by class
	Path         []string   // what is around it, from the side on and without it, outermost first
}

// Sides are the names of the two sides.
var Sides = [2]string{"A", "B"}

// ErrPart is the error that a Compare is asked for a part of the recording.
var ErrPart = errors.New("what is compared is always whole: a part of the recording cannot be compared")

// NewCompare returns the Compare of what two handles name. The scope has the view and the steps. The
// error is ErrPart if they limit it.
func NewCompare(r *lazy.LazyTraceReader, scope Scope, a, b lazy.Handle) (*Compare, error) {
	for _, s := range scope.Steps() {
		if s.Kind == Range {
			return nil, ErrPart
		}
	}
	if scope.Timed {
		return nil, ErrPart
	}
	c := &Compare{r: r, scope: scope, chunk: firstChunk, sides: [2]lazy.Handle{a, b}}
	_, c.timed = r.Times()
	return c, nil
}

// errAgain tells that the index was wrong while the sides were walked.
var errAgain = errors.New("the index was made again")

// Run compares the two. tell gets the progress; it may be nil. After an error, or if ctx ends, the
// table is that of what was found.
func (c *Compare) Run(ctx context.Context, tell lazy.Progress) error {
	for {
		err := c.run(ctx, tell)
		if !errors.Is(err, errAgain) {
			return err
		}
		c.set(func(f *comparison) { *f = comparison{} })
	}
}

// set changes what has been found.
func (c *Compare) set(change func(*comparison)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.found)
}

func (c *Compare) run(ctx context.Context, tell lazy.Progress) error {
	w := compareWalk{c: c, epoch: c.r.Status().Epoch, tell: tell}
	if err := w.open(ctx); err != nil {
		return err
	}
	if err := w.walk(ctx); err != nil {
		return err
	}
	for i := range Sides {
		top := NewTop(c.r, w.sides[i].scope, ByMethod)
		c.set(func(f *comparison) { f.counts[i] = top })
		pass := w.sides[i].scope.Over(top)
		pass.Share = c.share
		before := w.done
		pass.Progress = func(done, _ int64) { w.progress(before + done) }
		if err := c.r.Pass(ctx, pass); err != nil {
			return err
		}
		w.done = before + w.sides[i].size
	}
	return w.unchanged()
}

// Places returns the places where the two differ first: where they have another value themselves, where
// an event in them does, and where only one of them has an event. A place that does not exist,
// or has not been found so far, is nil. walked reports whether they are final.
func (c *Compare) Places() (own, value, event *Parting, walked bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.found.own, c.found.value, c.found.event, c.found.walked
}

// about returns what is known of a side before it is walked.
func (c *Compare) about(ctx context.Context, s *sequence) (out comparedSide, err error) {
	if out.state, err = s.end(ctx); err != nil {
		return out, err
	}
	if s.scope.Ranges[0].To < 0 {
		c.r.WithContext(func(x *format.Context) { out.name = threadValue(x, s.thread).text })
		return out, nil
	}
	whole := Scope{Raw: s.scope.Raw, Ranges: s.scope.Ranges}
	row, err := c.placeAt(ctx, &whole, lazy.Position{Thread: s.thread, At: s.from})
	out.name = cutText([]byte(lazy.EventHandle(row.event).String()+" "+row.text.Text), longestCompared)
	return out, err
}

// parting describes where the sides are.
func (c *Compare) parting(ctx context.Context, sides [2]*sequence, same int64) (*Parting, error) {
	out := &Parting{Same: same}
	for i, s := range sides {
		p := &out.Sides[i]
		p.Position = lazy.Position{Thread: s.thread, At: s.from}
		m := s.now()
		if p.Missing = m == nil; !p.Missing {
			p.Position.At, p.Event, p.End = m.at, m.event, m.how == markEnd
		} else if p.Position.At == 0 && s.scope.Ranges[0].To < 0 {
			p.Position.At = -1
			continue
		}
		row, err := c.placeAt(ctx, &s.scope, p.Position)
		if err != nil {
			return nil, err
		}
		p.Text, p.Path, p.State = row.text, row.path, row.state
		if p.Missing {
			p.Event = row.event
		}
	}
	return out, nil
}

// comparedRow is the row of a point, and what is around it.
type comparedRow struct {
	event int32
	state lazy.State
	text  Styled   // with objects by class
	path  []string // the innermost names
}

// placeAt reads a row of a scope. The path begins below what the scope is.
func (c *Compare) placeAt(ctx context.Context, s *Scope, at lazy.Position) (row comparedRow, err error) {
	from := s.Begins(at.Thread)
	if s.Ranges[0].To < 0 {
		from = -1 // a root of the thread is in it
	}
	list, err := readAt(ctx, c.r, s, []lazy.Position{at}, func() look[comparedRow] {
		var path []string
		return look[comparedRow]{
			begin: func(int32) { path = nil },
			around: func(p *lazy.PassPoint) error {
				if p.At <= from {
					return nil // around the scope, or all of it
				}
				name, err := comparedName(p)
				if len(path) == pathLength {
					path = append(path[:0], path[1:]...)
				}
				path = append(path, name)
				return err
			},
			at: func(p *lazy.PassPoint) (row comparedRow, ok bool, err error) {
				if ok = p.At == at.At; ok {
					row, err = comparedRowOf(p)
				}
				row.path = path
				return row, ok, err
			},
		}
	})
	if len(list) > 0 {
		row = list[0]
	}
	return row, err
}

// comparedName returns the name of a container in a path.
func comparedName(p *lazy.PassPoint) (string, error) {
	switch p.Class {
	case format.ClassCall:
		name, _ := p.Context().CallName(p.Ref, 0)
		return name, nil
	case format.ClassIteration:
		point, err := p.Point()
		if err != nil {
			return "", err
		}
		return "<iteration " + strconv.FormatInt(int64(point.Number)+1, 10) + ">", nil
	}
	return "loop", nil
}

// comparedRowOf returns the row of a point.
func comparedRowOf(p *lazy.PassPoint) (row comparedRow, err error) {
	point, foot, err := wholePoint(p)
	if err != nil {
		return row, err
	}
	row.event = p.Event
	row.text = byClass(styledText(p.Context(), point, foot, p.Parent()))
	row.state, err = p.Ended()
	return row, err
}

// byClass returns the text without the identities of objects.
func byClass(s Styled) (out Styled) {
	for _, x := range s.Spans {
		if x.Style != format.StyleHash {
			out.Add(s.Text[x.Start:x.End], x.Style)
		}
	}
	return out
}
