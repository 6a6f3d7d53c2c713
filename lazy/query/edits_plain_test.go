package query

import "tracex/format"

// copied copies a forest.
func copied(list []*node, parent *node) []*node {
	out := make([]*node, len(list))
	for i, n := range list {
		c := *n
		c.parent = parent
		c.kids = copied(n.kids, &c)
		out[i] = &c
	}
	return out
}

// edited applies steps to a copy of a forest, one after the other.
func edited(roots []*node, steps []plainStep, outside *StackSums) []*node {
	roots = copied(roots, nil)
	for _, s := range steps {
		hits := make(map[*node]bool)
		var look func(list []*node)
		look = func(list []*node) {
			for _, n := range list {
				hits[n] = s.hit(n)
				look(n.kids)
			}
		}
		look(roots)
		if s.kind == Focus {
			roots = focused(roots, hits)
		} else {
			roots = without(roots, nil, s.kind, hits, false)
		}
	}
	return adjusted(roots, nil, outside)
}

// focused returns the outermost nodes that are hit.
func focused(list []*node, hits map[*node]bool) (out []*node) {
	for _, n := range list {
		if hits[n] {
			n.parent = nil
			out = append(out, n)
		} else {
			out = append(out, focused(n.kids, hits)...)
		}
	}
	return out
}

// Classes of what is left of a merged call, a point of its caller, of a dropped call: its time, and of another
// point merged with its call, a point of the caller.
const (
	mergedAway  format.Class = 250
	droppedAway format.Class = 251
	mutedAway   format.Class = 252
)

// without merges or drops what is hit. mute is set for what is in a call that is merged with the points
// directly in it.
func without(list []*node, parent *node, kind StepKind, hits map[*node]bool, mute bool) (out []*node) {
	for _, n := range list {
		n.parent = parent
		switch {
		case mute && n.class != format.ClassCall && n.class < mergedAway:
			out = append(out, &node{class: mutedAway, parent: parent, thread: n.thread, event: n.event})
			out = append(out, without(n.kids, parent, kind, hits, true)...)
		case !hits[n]:
			n.kids = without(n.kids, n, kind, hits, mute && n.class != format.ClassCall)
			out = append(out, n)
		case kind != Drop && n.class != format.ClassCall:
			out = append(out, &node{class: mutedAway, parent: parent, thread: n.thread, event: n.event})
			out = append(out, without(n.kids, parent, kind, hits, false)...)
		case kind != Drop:
			out = append(out, &node{class: mergedAway, parent: parent, thread: n.thread, time: n.time, timed: n.timed, kids: nil})
			out = append(out, without(n.kids, parent, kind, hits, kind == Only)...)
		default:
			out = append(out, &node{class: droppedAway, parent: parent, time: n.time, timed: n.timed})
		}
	}
	return out
}

// adjusted takes what is dropped out of the calls around it, and counts points anew.
func adjusted(list []*node, parent *node, outside *StackSums) (out []*node) {
	for _, n := range list {
		if n.class == droppedAway {
			for up := parent; up != nil; up = up.parent {
				if up.class == format.ClassCall {
					up.dropped++
					if n.timed {
						up.gone += n.time.Duration
					}
				}
			}
			continue
		}
		n.kids = adjusted(n.kids, n, outside)
		n.points = 1
		for _, k := range n.kids {
			n.points += k.points
		}
		if n.class == mergedAway {
			up := parent
			for up != nil && up.class != format.ClassCall {
				up = up.parent
			}
			if up != nil {
				up.merged++
			} else {
				outside.Calls++
			}
		}
		n.time.Duration = max(0, n.time.Duration-n.gone)
		out = append(out, n)
	}
	return out
}
