package notes

// merge returns the items after two sides have changed a common base, each in its way. If both
// have changed an item, the later change wins; a change wins over a removal.
func merge(base, mine, theirs map[string]Item) map[string]Item {
	merged := make(map[string]Item, max(len(mine), len(theirs)))
	for id, it := range mine {
		was, had := base[id]
		other, there := theirs[id]
		switch {
		case !there && had && same(it, was):
			continue // they have removed it
		case !there, had && same(other, was):
			merged[id] = it
		case had && same(it, was):
			merged[id] = other
		default:
			merged[id] = later(it, other)
		}
	}
	for id, it := range theirs {
		if _, ours := mine[id]; ours {
			continue
		}
		if was, had := base[id]; !had || !same(it, was) {
			merged[id] = it // new, or changed since this side removed it
		}
	}
	return merged
}
