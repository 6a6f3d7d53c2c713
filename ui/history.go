package ui

import (
	"context"
	"errors"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/table"
	"tracex/ui/internal/answer"
	"tracex/ui/internal/command"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/sheet"
)

// historyAnswer shows the values of a field, an element, a variable or an object.
type historyAnswer struct{ *asking }

func (a historyAnswer) commands() []command.Command {
	write := func(name, help string, before bool) command.Command {
		return command.Command{Name: name, Group: groupAnswer, Help: help, Run: func(string) tea.Cmd {
			return a.choose(func(s query.Spot, here *query.HistoryPoint) tea.Cmd { return a.toWrite(s.Text, here, before) })
		}}
	}
	return []command.Command{
		{
			Name: "history", Group: groupAnswer, Args: "[LOCATION]", Help: "all values of a field, element, variable or object: Account.balance, or the row's",
			Complete: func(text string) (int, []prompt.Candidate) { return 0, a.completeNames(text, "field", "var") },
			Run: func(text string) tea.Cmd {
				if text != "" {
					return a.show(query.Spot{Text: text}, nil)
				}
				return a.choose(a.show)
			},
		},
		{
			Name: "state", Group: groupAnswer, Help: "arguments, variables and fields as last seen before the row",
			Run: func(string) tea.Cmd { return a.state() },
		},
		write("before", "the write before here of what the row reads or writes", true),
		write("after", "the write after here of what the row reads or writes", false),
	}
}

// choose calls then with the location of the cursor's row. If there are several, it asks for one.
func (a historyAnswer) choose(then func(query.Spot, *query.HistoryPoint) tea.Cmd) tea.Cmd {
	n := a.tree.Out.Cursor.Node
	if n == nil || n.Point() == nil {
		a.env.Say("no event under the cursor")
		return nil
	}
	call, method := lazy.Handle{}, int32(-1)
	for p := n.Parent(); p != nil && method < 0; p = p.Parent() {
		if at := p.Point(); at != nil && at.Class == format.ClassCall {
			call, method = lazy.PositionHandle(p.Position()), at.Ref
		}
	}
	var spots []query.Spot
	a.trace.Reader.WithContext(func(c *format.Context) {
		spots = query.LocationsOf(c, n.Point(), n.Footer(), call, method)
	})
	return a.offer(spots, &query.HistoryPoint{Position: n.Position(), Event: n.Point().Event}, then)
}

// offer calls then with one of the locations at a point. If there are several, it asks for one.
func (a historyAnswer) offer(spots []query.Spot, here *query.HistoryPoint, then func(query.Spot, *query.HistoryPoint) tea.Cmd) tea.Cmd {
	switch len(spots) {
	case 0:
		a.env.Say("nothing here holds a value: go to a read, a write, or a call with an object")
		return nil
	case 1:
		return then(spots[0], here)
	}
	const most = 9 // keys 1 to 9
	spots = spots[:min(len(spots), most)]
	text := "of"
	for i, s := range spots {
		text += " " + strconv.Itoa(i+1) + " " + s.Text
	}
	a.env.Say(text)
	a.keyboard.then = func(key string) tea.Cmd {
		if i, err := strconv.Atoi(key); err == nil && i >= 1 && i <= len(spots) {
			return then(spots[i-1], here)
		}
		if key != "esc" {
			a.env.Say(screen.KeyName(key, a.env.Glyphs) + " is no number from 1 to " + strconv.Itoa(len(spots)))
		}
		return nil
	}
	return nil
}

// location reads a location, and tells what is wrong with it.
func (a historyAnswer) location(text string) *query.Location {
	l, err := query.ParseLocation(a.env.Life, a.trace.Reader, text, "")
	if err == nil {
		return l
	}
	var none *query.NoLocationError
	var many *query.ManyLocationsError
	var method *query.NoMethodError
	switch {
	case errors.As(err, &method):
		a.noMethod(err)
	case errors.As(err, &none) && len(none.Near) > 0:
		a.env.Warn(screen.ErrorLine(err) + "; the nearest: " + strings.Join(none.Near, ", "))
	case errors.As(err, &many):
		a.env.Warn(screen.ErrorLine(err) + ": " + strings.Join(many.Choices[:min(len(many.Choices), 5)], ", "))
	default:
		a.env.Warn(screen.ErrorLine(err))
	}
	return nil
}

// show shows the history of a location, with a mark at a point, if that is not nil.
func (a historyAnswer) show(s query.Spot, here *query.HistoryPoint) tea.Cmd {
	l := a.location(s.Text)
	if l == nil {
		return nil
	}
	h, run := answer.NewHistory(a.env.Life, a.about(nil), l, here)
	actions := []sheet.Action{{
		Key: "enter", Brief: "go there", Help: "go to the event; n and N there: to those of the other values", Leaves: true,
		Do: func(t *table.Table, row int) tea.Cmd {
			p, ok := query.SightingOf(t, row)
			return a.goToOne(p, ok, h.Places(), "event with a value", "events with values")
		},
	}}
	if here != nil {
		step := func(key, brief, help string, before bool) {
			actions = append(actions, sheet.Action{Key: key, Brief: brief, Help: help, Leaves: true, Always: true, Do: func(*table.Table, int) tea.Cmd {
				return a.toWrite(s.Text, here, before)
			}})
		}
		step("[", "write before", "go to the write before here: before the event of the mark", true)
		step("]", "after", "go to the write after here", false)
	}
	if s.Wider != "" {
		actions = append(actions, sheet.Action{
			Key: "W", Brief: "wider", Help: "of all objects, all elements, or all calls of the method", Always: true,
			Do: func(*table.Table, int) tea.Cmd { return a.show(query.Spot{Text: s.Wider}, here) },
		})
	}
	return tea.Batch(a.tables.show(h, append(actions, a.steps.undoing(h)...)...), run)
}

// toWrite goes to the write of a location before or after a point.
func (a historyAnswer) toWrite(text string, here *query.HistoryPoint, before bool) tea.Cmd {
	l := a.location(text)
	if l == nil {
		return nil
	}
	r, scope := a.trace.Reader, query.Scope{Raw: a.about(nil).Raw}
	return a.jobs.ToFound("looking for the write", func(ctx context.Context, progress lazy.Progress) (at lazy.Position, event int32, err error) {
		p, err := query.NextWrite(ctx, r, scope, l, here, before, progress)
		if err != nil {
			return at, -1, err
		}
		return p.Position, p.Event, nil
	}, nil)
}

// state shows what is known where the cursor's row happens.
func (a historyAnswer) state() tea.Cmd {
	n := a.tree.Out.Cursor.Node
	if n == nil || n.Point() == nil {
		a.env.Say("no event under the cursor")
		return nil
	}
	s, run := answer.NewState(a.env.Life, a.about(nil), query.HistoryPoint{Position: n.Position(), Event: n.Point().Event})
	return tea.Batch(a.tables.show(s, sheet.Action{
		Key: "enter", Brief: "go there", Help: "go to the event that set it", Leaves: true,
		Do: func(t *table.Table, row int) tea.Cmd {
			if p, ok := query.SetBy(t, row); ok {
				return a.jobs.ToPoint(p.Position, p.Event)
			}
			return nil
		},
	}), run)
}
