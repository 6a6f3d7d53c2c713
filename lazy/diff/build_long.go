package diff

import "tracex/format"

// longKept is how many children of a long list are kept for the alignment when they are read first, and how many of each list are aligned at once:
// some 75 bytes each. If there are more between the equal ones at both ends, these are cut, see [builder.between], and read again.
const longKept = 1 << 17

// longs are two lists; at least one is long.
type longs struct {
	*frame
	kept       [2][]item // of each those from head on; nil if they are too many
	samples    [2]samples
	head, tail int // how many are equal at the start, and after those at the end
	list       []stretch
}

// long reads and aligns two lists, one or both of them long. It must not be called within both: it takes long.
func (b *builder) long(f *frame) (err error) {
	g := &longs{frame: f}
	if f.alone >= 0 {
		if err = b.rest(g, int(f.alone), false); err == nil {
			b.aligned(f, nil)
		}
		return err
	}
	if err = b.head(g); err != nil {
		return err
	}
	for i := range f.lists {
		if err = b.rest(g, i, true); err != nil {
			return err
		}
	}
	if err = b.tail(g); err != nil {
		return err
	}
	x, y := &f.lists[0], &f.lists[1]
	p := span{g.head, x.n - g.tail, g.head, y.n - g.tail}
	g.put(stretch{equal, 0, 0, g.head})
	if err = b.between(g, p); err != nil {
		return err
	}
	g.put(stretch{equal, p.aEnd, p.bEnd, g.tail})
	b.aligned(f, g.list)
	return nil
}

// put adds a stretch after those that there are.
func (g *longs) put(s stretch) {
	if k := len(g.list) - 1; k >= 0 && g.list[k].how == s.how {
		g.list[k].n += s.n
	} else if s.n > 0 {
		g.list = append(g.list, s)
	}
}

// head reads the children that are equal at the start, and keeps what was read after them.
func (b *builder) head(g *longs) (err error) {
	n := 0
	var some [2][]item
	var at [2]int // in some
	for {
		for i := range some {
			if at[i] == len(some[i]) {
				if some[i], err = b.part(&g.lists[i], n, some[i][:0]); err != nil {
					return err
				}
				at[i] = 0
			}
		}
		a, c := some[0][at[0]:], some[1][at[1]:]
		same := 0
		for same < len(a) && same < len(c) && a[same].v == c[same].v {
			same++
		}
		n, at[0], at[1] = n+same, at[0]+same, at[1]+same
		if same < min(len(a), len(c)) || len(a) == 0 || len(c) == 0 {
			for i := range some {
				g.kept[i] = append(make([]item, 0, len(some[i])), some[i][at[i]:]...)
			}
			g.head = n
			return b.ctx.Err()
		}
	}
}

// part returns children of a list from n on, as many as are read at once; none at the end.
func (b *builder) part(x *list, n int, to []item) ([]item, error) {
	if x.chunks == nil {
		for ; n < x.n; n++ {
			to = append(to, x.l.known[x.from+n].item)
		}
		return to, nil
	}
	err := x.l.use(func(c *format.Context) error {
		_, err := x.more(c, atOnce, func(k childAt) { to = append(to, k.item) })
		return err
	})
	return to, err
}

// rest reads the children of a long list that have not been read, and keeps them if that is asked and they are not too many.
func (b *builder) rest(g *longs, on int, keep bool) error {
	x := &g.lists[on]
	for more := x.chunks != nil; more; {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		err := x.l.use(func(c *format.Context) (err error) {
			more, err = x.more(c, atOnce, func(k childAt) {
				if g.kept[on] != nil {
					g.kept[on] = append(g.kept[on], k.item)
				} else if keep {
					g.samples[on].add(k.v, x.n-1)
				}
			})
			return err
		})
		if err != nil {
			return err
		}
		b.passed[on] = x.pos
		b.told()
		if len(g.kept[on]) > b.keep {
			g.sample(on)
			g.kept[on] = nil
		}
	}
	if keep && g.kept[on] != nil {
		g.sample(on)
	}
	return nil
}

// sample makes the samples of what is kept.
func (g *longs) sample(on int) {
	for i := range g.kept[on] {
		g.samples[on].add(g.kept[on][i].v, g.head+i)
	}
}

// tail finds how many children are equal at the end, after those that are equal at the start.
func (b *builder) tail(g *longs) (err error) {
	n, lists := 0, &g.lists
	most := min(lists[0].n, lists[1].n) - g.head
	for same := true; same && n < most; {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		to := min(n+atOnce, most)
		err = b.both(func() error {
			for same && n < to {
				var v [2]uint64
				for i := range lists {
					b.on = i
					if v[i], err = lists[i].value(b.c[i], lists[i].n-1-n, g.head, g.kept[i]); err != nil {
						return err
					}
				}
				if same = v[0] == v[1]; same {
					n++
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	g.tail = n
	return nil
}

// value returns the hash of a child; those from head on are in kept, if that is not nil. It must be called within use.
func (x *list) value(c *format.Context, i, head int, kept []item) (uint64, error) {
	if kept != nil {
		return kept[i-head].v, nil
	}
	k, err := x.child(c, i)
	return k.v, err
}
