package query

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/goroutines"
)

// thrown tells what was thrown in the threads, and what became of it: the failure first, then the last ones.
func (x *reporter) thrown(ctx context.Context) error {
	all := x.survey.throws.Table(View{List: true, Done: 1, G: &display.Unicode})
	what, in, caught, ended := all.Column("exception"), all.Column("thrown_in"), all.Column("caught_in"), all.Column("ended")
	list := x.survey.exceptions()
	part := ReportPart{Title: "thrown", kind: reportThrown, More: x.command("throws --list --thread "+fmt.Sprint(x.focus.Thread()+1), "")}
	var order []int
	for i := range list {
		if e := &list[i]; x.survey.precedes(e.point().Position) {
			order = append(order, i)
		}
	}
	omits := max(0, len(order)-reportList)
	more := int64(omits) + x.survey.throws.about.dropped
	for n, i := range order[omits:] {
		e := &list[i]
		row := all.Rows.Row(i)
		told := ReportThrown{Exception: row[what].Text(), ThrownIn: row[in].Text(), Ended: row[ended].Text(), CaughtIn: row[caught].Text()}
		text := told.Exception + " in " + told.ThrownIn + ", ended " + told.Ended
		if e.Outcome == Left || e.Outcome == Unknown || e.Outcome == Replaced {
			text += ", not caught " + strings.TrimPrefix(told.CaughtIn, "– ")
		} else {
			text += ", caught in " + told.CaughtIn
		}
		l := ReportLine{thrown: &told, Handle: lazy.EventHandle(e.Event).String(), Text: text, Rank: 3 + len(order) - omits - n}
		if here := e.point().Position == x.focus.Position(); here {
			l.Here, l.Rank = true, 1
		}
		part.Lines = append(part.Lines, l)
	}
	if more > 0 {
		part.Lines = append([]ReportLine{{Omits: more}}, part.Lines...)
	}
	x.add(part)
	return ctx.Err()
}

// returned tells the last errors that calls returned before the failure.
func (x *reporter) returned(ctx context.Context) error {
	list, more := x.survey.listErrors()
	part := ReportPart{Title: "errors returned", kind: reportErrors}
	if more > 0 {
		part.Lines = append(part.Lines, ReportLine{Omits: more})
	}
	for i, p := range list {
		l, err := x.rowAt(ctx, p, 3+len(list)-1-i)
		switch {
		case errors.Is(err, ErrHidden):
		case err != nil:
			return err
		default:
			part.Lines = append(part.Lines, l)
		}
	}
	x.add(part)
	return nil
}

// seen tells the last values of what the failing event is about, and the calls before it: the last writes, and where objects were seen last.
func (x *reporter) seen(ctx context.Context) error {
	spots, err := x.spots(ctx)
	if err != nil {
		return err
	}
	until := x.until
	scope := Scope{}
	if x.o.Test {
		scope.Ranges = x.ranges()
	}
	part := ReportPart{Title: "last seen before it, besides the calls above", kind: reportValues}
	for i, text := range spots {
		l, err := ParseLocation(ctx, x.r, text, "")
		if err != nil {
			continue // such as a class that the trace does not describe
		}
		lines, more, err := x.lastValues(ctx, l, scope, until, 4+i)
		if err != nil {
			return err
		}
		if len(lines) == 0 {
			continue
		}
		part.Lines = append(part.Lines, ReportLine{Text: l.Title(), Rank: 4 + i})
		if more != 0 {
			part.Lines = append(part.Lines, ReportLine{Depth: 1, Omits: more, Rank: 4 + i})
		}
		part.Lines = append(part.Lines, lines...)
		if part.More == "" {
			part.More = x.command("history", "") + " " + shellQuoted(text)
			if until != nil {
				part.More += " --until " + shellQuoted(lazy.EventHandle(until.Event).String())
			}
		}
	}
	x.add(part)
	return nil
}

// reportNear is how much of the thread of the failure is read before it, in bytes, before all is read.
var reportNear int64 = 2 << 20 // less in tests

// lastValues returns the last values of a location, and how many are before them, -1 if that is not known. What is used all the time has enough of
// them just before the failure, in its thread: then nothing else is read.
func (x *reporter) lastValues(ctx context.Context, l *Location, scope Scope, until *HistoryPoint, rank int) (lines []ReportLine, more int64, err error) {
	at := x.focus.Position()
	if from := at.At - reportNear; from > 0 {
		h := NewHistory(x.r, Scope{Ranges: []lazy.PassRange{{Thread: at.Thread, From: from, To: at.At}}}, HistoryOptions{Location: l, Keep: MostValues})
		if err := h.Run(ctx, x.tell); err != nil {
			return nil, 0, err
		}
		if lines, more, err = x.values(ctx, h, until, rank); err != nil || len(lines) >= reportSeen && more > 0 {
			return lines, -1, err
		}
	}
	h := NewHistory(x.r, scope, HistoryOptions{Location: l, Until: until, Keep: MostValues / 10})
	if err := h.Run(ctx, x.tell); err != nil {
		return nil, 0, err
	}
	return x.values(ctx, h, until, rank)
}

// bound finds what the report ends with. Of values the last event that can be of interest is the failure, or what follows the last call before the
// failing line; of exceptions and errors in its thread, what follows it, or the event that was asked for.
func (x *reporter) bound(ctx context.Context) error {
	if x.focus.IsThread() {
		return ErrHidden
	}
	failed, next := pointOf(x.focus), (*HistoryPoint)(nil)
	before := lazy.Position{Thread: failed.Thread, At: failed.At + 1}
	if x.o.At.At < 0 {
		var err error
		if next, err = x.following(ctx); err != nil {
			return err
		}
		before.At = math.MaxInt64
		if next != nil {
			before.At = next.At
		}
	}
	if x.until = &failed; x.mark != "" {
		x.until = next
	}
	return x.look(ctx, before)
}

// following returns the event that follows the focus and all that is in it, in its thread; nil if nothing does.
func (x *reporter) following(ctx context.Context) (*HistoryPoint, error) {
	for n := x.focus; !n.IsThread(); n = n.Parent() {
		next, err := x.after(ctx, n)
		if next != nil || err != nil {
			return next, err
		}
	}
	return nil, nil
}

// after returns the sibling after a node; nil if there is none.
func (x *reporter) after(ctx context.Context, n *lazy.Node) (*HistoryPoint, error) {
	n, err := x.tree.Reveal(ctx, n.Position())
	if err != nil {
		return nil, err
	}
	at := lazy.Row{Node: n, Parent: n.Parent(), Depth: n.Depth(), From: n.Position().At}
	row, ok := x.tree.NextSibling(at)
	if ok && row.Gap() {
		if err := x.tree.Load(ctx, row, lazy.AtStart); err != nil {
			return nil, err
		}
		row, ok = x.tree.NextSibling(at)
	}
	if !ok || row.Node == nil || row.Node.IsThread() {
		return nil, nil
	}
	p := pointOf(row.Node)
	return &p, nil
}

// spots returns the objects and fields that the failing event and what was done just before it are about.
func (x *reporter) spots(ctx context.Context) (list []string, err error) {
	nodes, _, err := x.before(ctx, x.focus, 3)
	if err != nil {
		return nil, err
	}
	nodes = append([]*lazy.Node{x.focus}, nodes...)
	if n := len(nodes) - 1; n > 0 {
		slices.Reverse(nodes[1:])
	}
	if up := x.focus.Parent(); !up.IsThread() {
		nodes = append(nodes, up)
	}
	x.r.WithContext(func(c *format.Context) {
		for _, n := range nodes {
			call, method := lazy.Handle{}, int32(-1)
			for up := n.Parent(); up != nil && !up.IsThread(); up = up.Parent() {
				if up.Point().Class == format.ClassCall {
					call, method = lazy.PositionHandle(up.Position()), up.Point().Ref
					break
				}
			}
			errs := make(map[string]bool) // errors are told elsewhere, and the same one may be returned everywhere
			for _, v := range []*format.Value{&n.Footer().Result, &n.Point().Value} {
				errs[ObjectOf(c, v)] = v.Captured != nil && v.Captured.Message != nil
			}
			for _, s := range LocationsOf(c, n.Point(), n.Footer(), call, method) {
				class, _, _ := strings.Cut(s.Text, "@")
				if !errs[s.Text] && !slices.Contains(list, s.Text) && !slices.Contains([]string{"T", "B", "F", "M"}, class) && len(list) < reportSpots {
					list = append(list, s.Text)
				}
			}
		}
	})
	return list, nil
}

// values returns the last values of a history, but for what the report shows already, and how many there are before.
func (x *reporter) values(ctx context.Context, h *History, until *HistoryPoint, rank int) (lines []ReportLine, more int64, err error) {
	all, kept := h.Count()
	list := h.List()
	if all > int64(kept) {
		return []ReportLine{{Depth: 1, Text: display.Plural(all, "value") + ", too many to tell the last ones", Rank: rank}}, 0, nil
	}
	list = slices.DeleteFunc(slices.Clone(list), func(s Sighting) bool {
		after := x.mark != "" && until != nil && s.Position == until.Position
		return after || s.Position == x.focus.Position() || s.Kind != Written && x.shown[lazy.EventHandle(s.Event).String()]
	})
	writes := 0
	take := make(map[int]bool)
	for i := len(list) - 1; i >= 0 && len(take) < reportSeen; i-- {
		take[i] = true
	}
	for i := len(list) - 1; i >= 0 && writes < 2; i-- {
		if list[i].Kind == Written {
			writes++
			take[i] = true
		}
	}
	told := make(map[lazy.Position]bool)
	for i, s := range list {
		if !take[i] || told[s.Position] {
			continue
		}
		told[s.Position] = true
		l, err := x.rowAt(ctx, s.HistoryPoint, rank+1)
		if errors.Is(err, ErrHidden) {
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		l.Depth = 1
		if s.Kind == Seen {
			l.Text = fmt.Sprintf("%s %s %s, in %s", s.Name, display.Unicode.Becomes, s.Value.Text, l.Text)
		} else {
			l.Text = s.Kind.String() + ": " + l.Text
		}
		lines = append(lines, l)
	}
	return lines, int64(len(list) - len(take)), nil
}

// goroutines tells what the other goroutines of a test were in when it failed, or when the call ended that was the last before.
func (x *reporter) goroutines(ctx context.Context) error {
	if len(x.family) < 2 {
		return nil
	}
	part := ReportPart{Title: "goroutines that it started", kind: reportGoroutines, More: x.command("info --tree", "")}
	t, timed := x.focus.Time()
	at := t.End()
	list, told := x.r.ThreadList(), 0
	for _, id := range x.family[1:] {
		if id == x.focus.Thread() || ctx.Err() != nil {
			continue
		}
		if told++; told > reportList {
			part.Lines = append(part.Lines, ReportLine{Omits: int64(len(x.family) - 1 - reportList)})
			break
		}
		info, _ := x.r.ThreadInfo(id)
		name, _ := goroutines.Parse(info.Name)
		end := list.Ends([]int{list.Index(id)})[0]
		l := ReportLine{Handle: x.threadLabel(id), Rank: 6}
		state := "ended"
		switch lived, known := x.r.ThreadTime(id); {
		case end.Threw:
			state, l.Rank = "threw "+end.Exception, 2
		case end.State != lazy.StateWhole:
			state, l.Rank = neverEnded(grows(x.r)), 3
		case timed && known && lived.Start > at:
			state = "began after it"
		case timed && known && lived.End() <= at:
			state = "had ended before it"
		}
		if timed && state != "had ended before it" && state != "began after it" {
			if m, err := x.r.FindTime(id, at); err == nil && !m.Before && !m.After {
				in, err := x.rowAt(ctx, HistoryPoint{m.Position, -1}, 0)
				if err == nil {
					state += ", was in " + in.Handle + " " + in.Text
				}
			}
		}
		l.Text = name.Start + ": " + state
		if name.At != "" {
			l.Place = name.At
		}
		part.Lines = append(part.Lines, l)
		if err := x.did(ctx, &part, id); err != nil {
			return err
		}
	}
	x.add(part)
	return ctx.Err()
}

// did adds the last calls of a goroutine.
func (x *reporter) did(ctx context.Context, part *ReportPart, id int32) error {
	n, _ := x.tree.Thread(id)
	if n == nil {
		return nil
	}
	kids, before, err := x.last(ctx, n, 2)
	if err != nil {
		return err
	}
	if before != 0 {
		part.Lines = append(part.Lines, ReportLine{Depth: 1, Omits: before})
	}
	for _, k := range kids {
		if err := x.row(ctx, part, k, 1, 7, 2); err != nil {
			return err
		}
	}
	return nil
}

// TestThreads returns the threads that run a Go test, by the name that go test has for it, such as TestPay/big, and how each is named
// with its package; of an empty name all tests.
func TestThreads(ctx context.Context, r *lazy.LazyTraceReader, test string) (ids []int32, names []string, err error) {
	list := r.ThreadList()
	for from := 0; from < list.Len(); from += surveyBatch {
		list.Plain(from, min(list.Len(), from+surveyBatch), func(n int, name string) bool {
			full, _, ok := testOf(name)
			if !ok || test != "" && full != test && !strings.HasSuffix(full, "."+test) {
				return true
			}
			ids, names = append(ids, list.ID(n)), append(names, full)
			return true
		})
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
	}
	return ids, names, nil
}

// TestOf returns the name of the Go test that a thread of this name runs, with its package; "" if it runs none.
func TestOf(thread string) string {
	name, _, _ := testOf(thread)
	return name
}

// FirstLeft returns the first exception that no call caught.
func (t *Throws) FirstLeft() (e Thrown, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.left.first, t.left.any
}

// FirstExit returns the first goroutine's end by runtime.Goexit.
func (t *Throws) FirstExit() (e Thrown, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.exits.first, t.exits.any
}
