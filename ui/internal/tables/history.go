package tables

import (
	"context"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/table"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
)

// History is all values of a field, an element, a variable or an object.
type History struct {
	Answer
	spot query.Spot          // of what
	here *query.HistoryPoint // where the table has a mark; nil for none
}

// History shows the values of a location, or of what the cursor's row reads or writes.
func (a *Answers) History(location string) tea.Cmd {
	if location != "" {
		return a.showHistory(query.Spot{Text: location}, nil)
	}
	return a.AtCursor(keys.History)
}

// AtCursor does one of History, Before and After, which go to the write before or after the cursor, for the location of its
// row. If there are several, it asks for one.
func (a *Answers) AtCursor(do keys.Name) tea.Cmd {
	here, ok := a.pointHere()
	if !ok {
		return nil
	}
	n := a.tree.Out.Cursor.Node
	call, method := lazy.Handle{}, int32(-1)
	for p := n.Parent(); p != nil && method < 0; p = p.Parent() {
		if at := p.Point(); at != nil && at.Class == format.ClassCall {
			call, method = lazy.PositionHandle(p.Position()), at.Ref
		}
	}
	var spots []query.Spot
	a.env.Trace.Reader.WithContext(func(c *format.Context) {
		spots = query.LocationsOf(c, n.Point(), n.Footer(), call, method)
	})
	return a.offer(&spotChoice{a, spots, &here, do})
}

// pointHere returns the event under the cursor. Without one it says so.
func (a *Answers) pointHere() (at query.HistoryPoint, ok bool) {
	n := a.tree.Out.Cursor.Node
	if n == nil || n.Point() == nil {
		a.env.Say("no event under the cursor")
		return at, false
	}
	return query.HistoryPoint{Position: n.Position(), Event: n.Point().Event}, true
}

// spotChoice is the locations at a point, and what to do with one of them: History, Before or After.
type spotChoice struct {
	*Answers
	spots []query.Spot
	here  *query.HistoryPoint
	do    keys.Name
}

// Choose does it with the location of a choice.
func (s *spotChoice) Choose(c env.Choice) tea.Cmd {
	i := slices.IndexFunc(s.spots, func(spot query.Spot) bool { return spot.Text == c.Name })
	if s.do == keys.History {
		return s.showHistory(s.spots[i], s.here)
	}
	return s.toWrite(s.spots[i], s.here, s.do == keys.Before)
}

// offer does it with the only location, or asks for one.
func (a *Answers) offer(s *spotChoice) tea.Cmd {
	var choices []env.Choice
	for i, spot := range s.spots[:min(len(s.spots), 9)] { // keys 1 to 9
		choices = append(choices, env.Choice{Key: strconv.Itoa(i + 1), Text: spot.Text, Name: spot.Text})
	}
	switch len(choices) {
	case 0:
		return a.env.Say("nothing here holds a value: go to a read, a write, or a call with an object")
	case 1:
		return s.Choose(choices[0])
	}
	return a.env.Offer(&env.Prefix{Title: string(s.do) + " of", Choices: choices, By: s})
}

// location reads a location, and tells what is wrong with it.
func (a *Answers) location(s query.Spot) *query.Location {
	l, err := query.ParseLocation(a.env.Life, a.env.Trace.Reader, s.Text, "")
	if err != nil {
		a.steps.Refuse(err)
		return nil
	}
	return l
}

// showHistory shows the history of a location, with a mark at a point, if that is not nil.
func (a *Answers) showHistory(s query.Spot, here *query.HistoryPoint) tea.Cmd {
	l := a.location(s)
	if l == nil {
		return nil
	}
	x := &History{Answer: newAnswer(a, a.about(nil, nil)), spot: s, here: here}
	x.one, x.several = "event with a value", "events with values"
	x.keys = []Key{{Name: "enter", Brief: "go there", Help: "go to the event; n and N there: to those of the other values", Leaves: true, Do: x.toEvent}}
	if x.here != nil {
		x.keys = append(x.keys,
			Key{Name: "[", Brief: "write before", Help: "go to the write before here: before the event of the mark", Leaves: true, Always: true, Do: x.writeBefore},
			Key{Name: "]", Brief: "after", Help: "go to the write after here", Leaves: true, Always: true, Do: x.writeAfter})
	}
	if x.spot.Wider != "" {
		x.keys = append(x.keys, Key{Name: "W", Brief: "wider", Help: "of all objects, all elements, or all calls of the method", Always: true, Do: x.wider})
	}
	x.keys = append(x.keys,
		Key{Name: "m", Brief: "smallest", Help: "to the smallest number", Do: x.smallest},
		Key{Name: "M", Brief: "largest", Help: "to the largest number", Do: x.largest})
	x.keys = append(x.keys, x.undoKeys()...)
	return x.open(x, func(scope query.Scope) (finder, error) {
		return query.NewHistory(x.of.R, scope, query.HistoryOptions{Location: l, Here: here, Keep: query.MostValues}), nil
	})
}

func (x *History) Orders() []string { return x.finder().(*query.History).Sorts() }

func (x *History) writeBefore(*table.Table, int) tea.Cmd { return x.toWrite(x.spot, x.here, true) }
func (x *History) writeAfter(*table.Table, int) tea.Cmd  { return x.toWrite(x.spot, x.here, false) }

func (x *History) wider(*table.Table, int) tea.Cmd {
	return x.showHistory(query.Spot{Text: x.spot.Wider}, x.here)
}

func (x *History) smallest(t *table.Table, _ int) tea.Cmd { return x.toExtreme(t, false) }
func (x *History) largest(t *table.Table, _ int) tea.Cmd  { return x.toExtreme(t, true) }

func (x *History) toExtreme(t *table.Table, largest bool) tea.Cmd {
	row, high, ok := query.Extremes(t)
	if !ok {
		return x.env.Say("no two numbers of one field here differ")
	}
	if largest {
		row = high
	}
	x.tables.Select(row)
	return nil
}

// toWrite goes to the write of a location before or after a point.
func (a *Answers) toWrite(s query.Spot, here *query.HistoryPoint, before bool) tea.Cmd {
	l := a.location(s)
	if l == nil {
		return nil
	}
	r, scope := a.env.Trace.Reader, query.Scope{Raw: !a.tree.Out.Tree.Folded()}
	return a.tree.Jobs.ToFound("looking for the write", func(ctx context.Context, progress lazy.Progress) (at lazy.Position, event int32, err error) {
		p, err := query.NextWrite(ctx, r, scope, l, here, before, progress)
		if err != nil {
			return at, -1, err
		}
		return p.Position, p.Event, nil
	}, nil)
}

// State shows what is known where the cursor's row happens: arguments, variables and fields of the call around it.
func (a *Answers) State() tea.Cmd {
	at, ok := a.pointHere()
	if !ok {
		return nil
	}
	x := newAnswer(a, a.about(nil, nil).unfiltered())
	x.keys = []Key{{Name: "enter", Brief: "go there", Help: "go to the event that set it", Leaves: true, Do: x.toEvent}}
	return x.open(&x, func(scope query.Scope) (finder, error) { return query.NewState(x.of.R, scope.Raw, at), nil })
}
