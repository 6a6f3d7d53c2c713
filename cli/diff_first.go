package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"tracex/lazy"
	"tracex/lazy/diff"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// firstPlace is the answer of --first: a place where two traces part.
type firstPlace struct {
	change string        // as in [diffChange], or other: another event follows, and what becomes of it later is not known
	sides  [2]*firstSide // nil if there is none
	lacks  [2]string     // of a side that has no event there: what is said instead
	in     [2]*firstSide // what on that side lacks it; nil if that is not known, or is the thread
	same   int64         // equal events before it; -1 if they were not counted
	rows   int64         // of what only one trace has; 0 if not known
	moved  *movedChange  // nil if it was neither moved nor renamed
	kind   firstKind     // zero if it is not known
}

// firstKind is a kind of change among all there are.
type firstKind struct {
	changeKind
	skip   int   // kinds before it
	all    int   // kinds
	places int64 // of this one
}

// streamFirst answers --first by reading two traces in step. told is false if only all of both tells where they part: which threads are partners, or
// whether what the place is in was added, and counts.
func (t *diffCommand) streamFirst(ctx context.Context, a, b diffSide) (told bool, err error) {
	found, err := t.part(ctx, a, b)
	if err != nil {
		return false, err
	}
	if may, err := t.mayIgnore(ctx, a, b, found); may || err != nil {
		return false, err
	}
	if found == nil {
		return true, t.noFirst(a, b, firstKind{}, "equal")
	}
	if found.Guessed {
		return false, nil
	}
	first, err := placeOfParting(ctx, a, b, found)
	if err != nil {
		return false, err
	}
	if err := t.tellFirst(a, b, first); err != nil {
		return false, err
	}
	if t.exitCode {
		return true, &unexpectedError{a.title() + " and " + b.title() + " are different"}
	}
	return true, nil
}

// part finds where two traces part by reading them in step; nil if they are equal.
func (t *diffCommand) part(ctx context.Context, a, b diffSide) (*diff.Parting, error) {
	d := diff.New(a.r, b.r, t.options(&a, &b))
	p := t.newProgress("comparing")
	found, err := d.First(ctx, p.Update)
	p.End()
	return found, errors.Join(rawHint(err), d.Close())
}

// placeOfParting reads what is where two traces part.
func placeOfParting(ctx context.Context, a, b diffSide, found *diff.Parting) (*firstPlace, error) {
	first := &firstPlace{change: "edited", same: found.Same}
	if found.Other {
		first.change = "other"
	}
	for i, side := range []diffSide{a, b} {
		at := found.Sides[i]
		var err error
		switch {
		case at.Missing && at.Thread < 0:
			first.lacks[i] = "has no such thread"
		case at.Missing:
			first.lacks[i] = "nothing more is in " + threadTitle(side.r, at.Thread)
		default:
			if first.sides[i], err = readFirst(ctx, side, at.Position, at.End, false); err != nil {
				return nil, err
			}
		}
	}
	return first, nil
}

// mayIgnore reports whether a filter may ignore the place that was found, or something that it is in, or is a mistake, which is then told.
func (t *diffCommand) mayIgnore(ctx context.Context, a, b diffSide, found *diff.Parting) (bool, error) {
	var nodes [2]*lazy.Node // nil where there is none
	for i, side := range []diffSide{a, b} {
		if len(t.filters.not) == 0 || found == nil || found.Sides[i].Missing {
			continue
		}
		var err error
		if nodes[i], err = lazy.RevealAlone(ctx, side.r.Tree(false), found.Sides[i].Position); err != nil {
			return false, err
		}
	}
	for _, x := range t.filters.not {
		fits, lacks := false, false // a trace has its names; one that the place is in does not
		for i, side := range []diffSide{a, b} {
			may, err := false, error(nil)
			if nodes[i] == nil {
				err = query.Check(side.r, x.Expr)
			} else {
				may, err = query.MayMatch(side.r, x.Expr, nodes[i])
			}
			if may && err == nil || err != nil && !query.Lacks(err) {
				return true, nil
			}
			fits, lacks = fits || err == nil, lacks || err != nil && nodes[i] != nil
		}
		if fits && lacks || !fits && x.File == "" {
			return true, nil
		}
	}
	return false, nil
}

// firstOf answers --first by a diff that has run: with the first change that counts, or the first of another kind than those that are skipped.
// found is false if there is none.
func (x *diffReport) firstOf(ctx context.Context) (found bool, err error) {
	s := &firstSink{skip: x.skip, seen: make(map[changeKind]bool)}
	if err := x.walk(ctx, s); err != nil {
		return false, err
	}
	s.leave(0)
	made := x.found.Table(query.View{Done: 1, G: &display.Unicode})
	kind := firstKind{skip: x.skip, all: made.Rows.Len()}
	c := s.found
	if c == nil {
		text := x.summary()
		switch {
		case kind.all > x.skip: // see [diffReport.walk]
			text = "no other kind of difference is listed"
		case x.skip > 0 && kind.all > 0:
			text = fmt.Sprintf("no other kind of difference: %s in all, --skip %d", counted(int64(kind.all), "kind"), x.skip)
		}
		return false, x.noFirst(x.a, x.b, kind, text)
	}
	kind.changeKind = kindOf(c)
	places, change, what := made.Column("places"), made.Column("kind"), made.Column("what")
	for i := range kind.all {
		if row := made.Rows.Row(i); row[change].Text() == kind.change && row[what].Text() == kind.what {
			kind.places = row[places].Int()
		}
	}
	first := firstPlace{change: c.kind, same: -1, rows: c.rows, kind: kind}
	if first.moved, err = x.moved(c); err != nil {
		return false, err
	}
	for i, side := range []diffSide{x.a, x.b} {
		event := c.events[i]
		if event < 0 && c.move != nil {
			event = c.move.Event
		}
		at, err := x.placeOf(event, i)
		if err != nil {
			return false, err
		}
		if at.At < 0 {
			first.lacks[i] = "has none"
			if first.in[i], err = x.lacking(ctx, max(c.events[0], c.events[1]), i); err != nil {
				return false, err
			}
		} else if first.sides[i], err = readFirst(ctx, side, at, endsOnly(c), true); err != nil {
			return false, err
		}
	}
	return true, x.tellFirst(x.a, x.b, &first)
}

// placeOf returns where a row of the diff is in the old or the new trace; one with At -1 if it is not there.
func (x *diffReport) placeOf(event int32, side int) (lazy.Position, error) {
	p, err := x.pairs.Of(event)
	return lazy.Position{Thread: p.Thread[side], At: p.At[side]}, err
}

// lacking returns what lacks a row of the diff in a trace: the partner of what is around it. It is nil at the root of a thread.
func (x *diffReport) lacking(ctx context.Context, event int32, side int) (*firstSide, error) {
	at, _, err := x.r.Find(ctx, lazy.EventHandle(event))
	if err != nil {
		return nil, err
	}
	n, err := lazy.RevealAlone(ctx, x.r.Tree(false), at)
	if err != nil {
		return nil, err
	}
	for n = n.Parent(); n != nil && !n.IsThread(); n = n.Parent() {
		if at, err = x.placeOf(n.Point().Event, side); err != nil {
			return nil, err
		}
		if at.At >= 0 {
			return readFirst(ctx, []diffSide{x.a, x.b}[side], at, false, true)
		}
	}
	return nil, nil
}

// unlike tells what is different between the two sides; of another event, only if the two read the same.
func (f *firstPlace) unlike(identity bool) (text string, changes []query.Change) {
	a, b := f.sides[0], f.sides[1]
	if a == nil || b == nil {
		return "", nil
	}
	if f.change == "other" {
		if a.end == b.end && a.class == b.class && a.what == b.what && a.full != b.full {
			text = a.full + " " + display.Unicode.Becomes + " " + b.full
		}
		return text, nil
	}
	if changes = a.values.Changes(b.values); len(changes) == 0 {
		changes = a.types.Changes(b.types)
	}
	if a.end { // what it began with is the same
		changes = slices.DeleteFunc(changes, func(c query.Change) bool { return c.Part != resultPart })
	}
	switch {
	case len(changes) > 0:
	case f.moved != nil:
		return "", nil
	case identity:
		return "which object it is", nil
	case a.end:
		return "how it ended", nil
	default:
		return "a value that reads the same", nil
	}
	parts := make([]string, len(changes))
	for i, c := range changes {
		parts[i] = cmp.Or(c.Name, c.Part) + " " + c.Values(&display.Unicode)
	}
	return strings.Join(parts, ", "), changes
}

// firstLine is the JSON object of --first.
type firstLine struct {
	changeLine
	In     *changedPoint `json:"in,omitempty"`
	End    bool          `json:"at_end,omitempty"`
	Same   *int64        `json:"equal_events,omitempty"`
	Differ string        `json:"differs,omitempty"`
	Group  string        `json:"group,omitempty"`
	Places int64         `json:"places,omitempty"`
	Groups int           `json:"groups,omitempty"`
	Skip   int           `json:"skipped,omitempty"`
}

// tellFirst prints where two traces part.
func (t *diffCommand) tellFirst(a, b diffSide, f *firstPlace) error {
	if t.json {
		differs, changes := f.unlike(t.identity)
		line := firstLine{changeLine: changeLine{Schema: table.Schema, Kind: "first", Change: f.change, Moved: f.moved},
			Group: f.kind.what, Places: f.kind.places, Groups: f.kind.all, Skip: f.kind.skip}
		if f.same >= 0 {
			line.Same = &f.same
		}
		if f.change == "removed" || f.change == "added" {
			line.Events = f.rows
		}
		for _, c := range changes {
			line.Changes = append(line.Changes, changedPart(c))
		}
		if len(changes) == 0 {
			line.Differ = differs
		}
		for i, to := range []**changedPoint{&line.New, &line.Old} { // what is said of both is that of the old one
			if in := f.in[i]; in != nil {
				line.In = in.point()
			}
			if s := f.sides[1-i]; s != nil {
				*to = s.point()
				line.Event, line.What, line.Path, line.End = s.class.String(), s.what, s.path, s.end
			}
		}
		return encodeLine(t.stdout, line)
	}
	w := bufio.NewWriter(t.stdout)
	fmt.Fprintf(w, "%s → %s\n", printable(a.title()), printable(b.title()))
	t.firstText(w, a, b, f)
	if err := w.Flush(); err != nil {
		return err
	}
	if f.kind.all > 0 && f.kind.skip+1 == f.kind.all {
		fmt.Fprintln(t.stderr, "hint: this is the last kind; without --first, all differences are shown")
	} else {
		fmt.Fprintln(t.stderr, "hint: next, without this kind: "+printable(t.next()))
	}
	return nil
}

// firstText writes where two traces part, for a person.
func (t *diffCommand) firstText(w io.Writer, a, b diffSide, f *firstPlace) {
	switch {
	case f.kind.all > 0:
		fmt.Fprintf(w, "kind %d of %d, in %s: %s %s\n", f.kind.skip+1, f.kind.all, display.Plural(f.kind.places, "place"), f.kind.change, escaped(f.kind.what))
	case f.change == "other":
		fmt.Fprintf(w, "the first difference: another event, after %s\n", display.Plural(f.same, "equal event"))
	default:
		fmt.Fprintf(w, "the first difference: another value, after %s\n", display.Plural(f.same, "equal event"))
	}
	if differs, _ := f.unlike(t.identity); differs != "" {
		fmt.Fprintf(w, "differs: %s\n", escaped(differs))
	}
	for i, side := range []diffSide{a, b} {
		fmt.Fprintf(w, "\n%s  ", []string{"old", "new"}[i])
		s := f.sides[i]
		if in := f.in[i]; in != nil {
			fmt.Fprintf(w, "%s in %s\n     %s\n", f.lacks[i], in.around(in.what), in.command(side))
			continue
		} else if s == nil {
			fmt.Fprintln(w, f.lacks[i])
			continue
		}
		text := s.text
		if s.end {
			text = "the end of " + text
		}
		fmt.Fprintf(w, "%s\n     %s\n     %s\n", s.around(), text, s.command(side))
	}
}

// noFirst tells that there is no place to tell.
func (t *diffCommand) noFirst(a, b diffSide, kind firstKind, text string) error {
	if t.json {
		return encodeLine(t.stdout, firstLine{changeLine: changeLine{Schema: table.Schema, Kind: "first", Change: "none"}, Groups: kind.all, Skip: kind.skip})
	}
	_, err := fmt.Fprintf(t.stdout, "%s → %s\n%s\n", printable(a.title()), printable(b.title()), text)
	return err
}
