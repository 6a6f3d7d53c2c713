package instrumented

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"tracex/format/tracefile"
	"tracex/recorder/internal/values"
)

// covers reports whether the statement that made a goroutine must be known.
func (k known) covers(c child) bool { return k.all || c.time < k.until || c.tick < k.tick }

const (
	mostChildren = 1 << 18 // that are remembered
	mostLate     = 1 << 10 // statements of a site that are written, and whose goroutine has not begun
	goidBatch    = 16      // numbers that a processor takes at a time
)

// born notes a goroutine, and where it was made.
func (ss *sites) born(key siteKey, c child) {
	if ss.children >= mostChildren {
		for key, s := range ss.all {
			if len(s.leaves) == 0 {
				ss.children -= len(s.children)
				delete(ss.all, key)
			}
		}
		if ss.children >= mostChildren {
			return
		}
	}
	s := ss.at(key)
	s.children = append(s.children, c)
	ss.children++
}

func (ss *sites) at(key siteKey) *site {
	s := ss.all[key]
	if s == nil {
		s = &site{}
		ss.all[key] = s
	}
	return s
}

// match matches the statements of a thread's block with goroutines. It reports whether each has
// one. With last the block is about to be written.
func (ss *sites) match(leaves []*leaf, k known, last bool) (all bool) {
	all = true
	var done []*site
	for _, l := range leaves {
		if l.id != 0 {
			continue
		}
		s := ss.all[l.key]
		if s == nil || slices.Contains(done, s) {
			all = false
			continue
		}
		done = append(done, s)
		n := len(s.children)
		s.match(k, last)
		ss.children -= n - len(s.children)
		if len(s.leaves) == 0 && len(s.children) == 0 {
			delete(ss.all, l.key)
		}
		all = all && l.id != 0
	}
	return all
}

// match matches statements with the goroutines that are known. last says that the statements are
// about to be written.
func (s *site) match(k known, last bool) {
	slices.SortFunc(s.children, func(a, b child) int { return cmp.Compare(a.time, b.time) })
	leaves, children := s.leaves, s.children
	for len(leaves) > 0 {
		for len(children) > 0 && children[0].time < leaves[0].time {
			children = children[1:]
		}
		n, begun := group(leaves, children, k)
		if n == 0 {
			if !last || !k.end {
				break
			}
			n, begun = len(leaves), len(children)
		}
		s.assign(leaves[:n], children[:begun])
		leaves, children = leaves[n:], children[min(n, begun):]
	}
	// Move what is left to the front.
	s.leaves = slices.Delete(s.leaves, 0, len(s.leaves)-len(leaves))
	s.children = slices.Delete(s.children, 0, len(s.children)-len(children))
	if !last {
		return
	}
	for _, l := range s.leaves {
		l.late = true
	}
	if more := len(s.leaves) - mostLate; more > 0 {
		s.leaves, s.lossy = slices.Delete(s.leaves, 0, more), true
	}
}

// group returns the fewest statements whose goroutines had all begun before the next statement,
// and how many had; 0 if there are none. The goroutines are in order of time.
func group(leaves []*leaf, children []child, k known) (n, begun int) {
	for i := range leaves {
		next := uint64(math.MaxUint64)
		if i+1 < len(leaves) {
			next = leaves[i+1].time
		}
		for begun < len(children) && children[begun].time < next && (next < math.MaxUint64 || k.covers(children[begun])) {
			begun++
		}
		if begun > i {
			return i + 1, begun
		}
	}
	return 0, 0
}

// assign gives statements the goroutines that had begun, in order of number. The goroutines left over
// follow the others in begun afterwards, in order of time.
func (s *site) assign(leaves []*leaf, begun []child) {
	slices.SortFunc(begun, func(a, b child) int { return cmp.Compare(a.id, b.id) })
	unsure := s.lossy || len(leaves) > len(begun)
	for i := 1; i < len(begun); i++ {
		a, b := begun[i-1].id-1, begun[i].id-1
		unsure = unsure || a/goidBatch != b/goidBatch && (a%goidBatch != goidBatch-1 || b%goidBatch != 0)
	}
	unsure = unsure && (len(leaves) > 1 || len(begun) > 1 || s.lossy)
	for i, l := range leaves[:min(len(leaves), len(begun))] {
		l.id, l.unsure = begun[i].id, unsure
	}
	slices.SortFunc(begun[min(len(leaves), len(begun)):], func(a, b child) int { return cmp.Compare(a.time, b.time) })
}

// forget forgets the statements of a goroutine that is gone: they are written.
func (ss *sites) forget(keys []siteKey) {
	for _, key := range keys {
		if s := ss.all[key]; s != nil {
			ss.children -= len(s.children)
			delete(ss.all, key)
		}
	}
}

// settle writes the numbers of matched goroutines into a thread's block.
func (p *process) settle(t *thread) {
	var parts []tracefile.Replacement
	e := &p.encoder
	e.b = nil
	e.kind(values.VoidKind)
	void := len(e.b)
	for _, l := range t.leaves {
		if l.id == 0 {
			continue
		}
		text := "goroutine " + strconv.FormatUint(l.id, 10)
		if l.unsure {
			text = "≈ " + text
		}
		e.b = nil
		e.raw(text)
		parts = append(parts, tracefile.Replacement{At: l.at, Size: void, With: e.b})
	}
	t.leaves = nil
	if len(parts) == 0 {
		return
	}
	moved := t.Replace(parts)
	for i := range t.stack {
		t.stack[i].Content = moved(t.stack[i].Content)
	}
}
