package diff

import "maps"

// resolve finds what was moved and renamed, and counts the differences.
func (d *Diff) resolve(b *builder) error {
	removed, added := b.moves[0].list, b.moves[1].list
	b.moves = [2]moves{} // join copies them
	elsewhere := int64(0)
	for i, m := range join(removed, added) {
		named, quiet := m.by == alikeInner, m.by == alikeWhole && b.elsewhere(m.removed, m.added)
		for _, at := range [...]int64{m.removed, m.added} {
			b.script.change(at, func(s *step) { s.n, s.moved, s.named, s.quiet = int64(i), !named, named, quiet })
		}
		if quiet {
			elsewhere++
		}
	}
	if elsewhere > 0 {
		if err := b.script.remark(); err != nil {
			return err
		}
	}
	groups := make(map[uint64]bool)
	now, equalCalls := Counts{}, int64(0)
	for s, err := range b.script.all() {
		if err != nil {
			return err
		}
		switch {
		case s.counts():
			now.add(&s)
			groups[s.group] = true
		case s.kind == stepAdded && s.moved: // in another thread
			equalCalls += s.calls
		}
	}
	d.count(func(c *Counts) {
		c.Removed, c.Added, c.Edited, c.Moved, c.Renamed, c.Elsewhere, c.Done = now.Removed, now.Added, now.Edited, now.Moved, now.Renamed, elsewhere, true
		c.EqualCalls += equalCalls
	})
	d.groups = groups
	return nil
}

// counts reports whether the step is a difference that counts.
func (s *step) counts() bool {
	switch s.kind {
	case stepRemoved, stepAdded:
		return !s.quiet
	case stepPair, stepEnter:
		return s.own && !s.quiet
	}
	return false
}

// add counts a difference; pairs of what was moved or renamed where it is added.
func (c *Counts) add(s *step) {
	switch s.kind {
	case stepRemoved:
		c.Removed++
		return
	case stepAdded:
		c.Added++
	default:
		c.Edited++
	}
	if s.moved {
		c.Moved++
	}
	if s.named {
		c.Renamed++
	}
}

// Groups adds the kinds of all differences to a set, for [Options.Quiet] of another Diff: calls of a method whose first argument differs, or that
// only one side has. Call it after Run.
func (d *Diff) Groups(to map[uint64]bool) { maps.Copy(to, d.groups) }
