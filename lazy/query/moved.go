package query

import (
	"strconv"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
)

// Moved tells in a few words where the partner of a moved or renamed row of a diff is: "moved to Order.store", "moved here from
// Order.store", "renamed from Audit.check". It is "" of any other row.
func Moved(c *format.Context, moves lazy.Moves, event int32, status format.DiffStatus) string {
	m, ok := moves.Of(event)
	if !ok {
		return ""
	}
	other, _ := moves.Of(m.Partner)
	added, where := status == format.DiffAdded, MovePlace(c, &m, &other)
	switch {
	case m.Renamed:
		text := "renamed to " + movedName(c, &m, &other)
		if added {
			text = "renamed from " + movedName(c, &m, &other)
		}
		if where != "" {
			text += " in " + where
		}
		return text
	case where == "" && added && m.Partner < event:
		return "moved here from above"
	case where == "" && added:
		return "moved here from below"
	case where == "" && m.Partner < event:
		return "moved up"
	case where == "":
		return "moved down"
	case added:
		return "moved here from " + where
	}
	return "moved to " + where
}

// MovePlace returns where the partner of a moved row is: the call around it, or its thread; "" if that is where the row is.
func MovePlace(c *format.Context, m, partner *lazy.Move) string {
	switch {
	case m.Call == partner.Call && m.Thread == partner.Thread:
		return ""
	case partner.Call < 0:
		text := "thread " + strconv.Itoa(int(partner.Thread)+1)
		if t := c.Thread(partner.Thread); t != nil && t.Name != "" {
			text += " (" + t.Name + ")"
		}
		return text
	case m.Method == partner.Method:
		return "another call of " + methodOf(c, partner.Method)
	}
	return methodOf(c, partner.Method)
}

func methodOf(c *format.Context, id int32) string {
	name, _ := c.CallName(id, 0)
	return name
}

// movedName returns what the partner of a renamed row is.
func movedName(c *format.Context, m, partner *lazy.Move) string {
	name := Subject(c, &format.Point{Class: partner.Class, Ref: partner.Ref})
	if partner.Class != format.ClassCall && m.Class == partner.Class {
		return "another " + name
	}
	return name
}

// pairOf makes a difference that was found one of a moved or renamed pair, whose rows are of one kind and of one thing.
func (f *foundDifference) pairOf(c *format.Context, moves lazy.Moves) {
	m, ok := moves.Of(f.place.Event)
	if !ok {
		return
	}
	old, _ := moves.Of(m.Partner)
	if f.kind == "removed" {
		m, old = old, m
	}
	f.pair = &m
	if f.kind, f.what = MovedKind(c, &old, &m); m.Renamed {
		return
	}
	was, is := MovePlace(c, &m, &old), MovePlace(c, &old, &m)
	if was != "" {
		f.changes = []Change{{Part: "place", Old: was, New: is}}
	}
}

// MovedKind names, as the table of kinds does, what a moved or renamed pair of rows has in common with others, and of what they are.
func MovedKind(c *format.Context, removed, added *lazy.Move) (kind, what string) {
	subject := func(m *lazy.Move) string { return Subject(c, &format.Point{Class: m.Class, Ref: m.Ref}) }
	if added.Renamed {
		return "renamed", subject(removed) + " to " + subject(added)
	}
	return "moved", subject(added)
}

// Again tells how many pairs of what was removed and added are the same; "" if none are.
func (n *DifferenceCounts) Again() string {
	text := ""
	for _, of := range []struct {
		n    int64
		kind string
	}{{n.Moved, "moved"}, {n.Renamed, "renamed"}} {
		switch {
		case of.n == 0:
			continue
		case text == "":
			text = "removed and added again: "
		default:
			text += ", "
		}
		text += display.Grouped(of.n) + " " + of.kind
	}
	return text
}
