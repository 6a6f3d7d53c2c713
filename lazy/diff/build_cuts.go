package diff

import (
	"cmp"
	"slices"

	"tracex/format"
)

// sample is a child by its hash.
type sample struct {
	v uint64
	i int
}

// samples are some of the children of a long list: all those with such hashes that the bits of the mask are not set. So what is among them
// once is in the list once.
type samples struct {
	list []sample
	mask uint64
}

const (
	// firstMask makes one of 64 children a sample, as long as there are at most mostSamples.
	firstMask   = 1<<6 - 1
	mostSamples = 1 << 16
)

func (s *samples) add(v uint64, i int) {
	if s.mask == 0 {
		s.mask = firstMask
	}
	if v&s.mask != 0 {
		return
	}
	s.list = append(s.list, sample{v, i})
	if len(s.list) > mostSamples {
		s.thin(s.mask<<1 | 1)
	}
}

// thin drops the samples that do not have a mask.
func (s *samples) thin(mask uint64) {
	s.mask = mask
	s.list = slices.DeleteFunc(s.list, func(x sample) bool { return x.v&mask != 0 })
}

// once returns the samples that are in the list once, by hash.
func (s *samples) once() []sample {
	list := slices.Clone(s.list)
	slices.SortFunc(list, func(x, y sample) int { return cmp.Compare(x.v, y.v) })
	var single []sample
	for from, to := 0, 0; from < len(list); from = to {
		for to = from + 1; to < len(list) && list[to].v == list[from].v; to++ {
		}
		if to == from+1 {
			single = append(single, list[from])
		}
	}
	return single
}

// anchors returns the children of p that are known to be in each list once, in the longest row that has the same order in both.
func (g *longs) anchors(p span) (row []run) {
	mask := max(g.samples[0].mask, g.samples[1].mask)
	g.samples[0].thin(mask)
	g.samples[1].thin(mask)
	a, b := g.samples[0].once(), g.samples[1].once()
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch c := cmp.Compare(a[i].v, b[j].v); {
		case c < 0:
			i++
		case c > 0:
			j++
		default:
			if x, y := a[i].i, b[j].i; x >= p.a && x < p.aEnd && y >= p.b && y < p.bEnd {
				row = append(row, run{x, y, 1})
			}
			i, j = i+1, j+1
		}
	}
	slices.SortFunc(row, func(x, y run) int { return cmp.Compare(x.a, y.a) })
	return increasing(row)
}

// between aligns what is between the equal ends of two lists: at once if it is not too long, or else in parts, cut at children that
// occur once in each list.
func (b *builder) between(g *longs, p span) error {
	most := max(b.keep, 2)
	if p.aEnd-p.a <= most && p.bEnd-p.b <= most {
		return b.windows(g, p, most)
	}
	for _, r := range g.anchors(p) {
		if r.a-p.a < most/2 && r.b-p.b < most/2 {
			continue
		}
		if err := b.windows(g, span{p.a, r.a, p.b, r.b}, most); err != nil {
			return err
		}
		p.a, p.b = r.a, r.b
	}
	return b.windows(g, p, most)
}

// same returns how many children are equal at the end of p.
func (b *builder) same(g *longs, p span) (n int, err error) {
	for {
		some := min(atOnce, p.aEnd-p.a-n, p.bEnd-p.b-n)
		x, err := b.children(g, 0, p.aEnd-n-some, p.aEnd-n)
		if err != nil {
			return n, err
		}
		y, err := b.children(g, 1, p.bEnd-n-some, p.bEnd-n)
		if err != nil {
			return n, err
		}
		k := 0
		for k < some && x[some-1-k].v == y[some-1-k].v {
			k++
		}
		if n += k; k < some || some == 0 {
			return n, nil
		}
	}
}

// windows aligns p: at once if it is not too long, or else in windows of most children of each list, which move on by half of their size. What is
// equal at its end, before a child at which the lists are cut, has its partners whatever is removed before it.
func (b *builder) windows(g *longs, p span, most int) error {
	if p.aEnd-p.a > most || p.bEnd-p.b > most {
		n, err := b.same(g, p)
		if err != nil {
			return err
		}
		p.aEnd, p.bEnd = p.aEnd-n, p.bEnd-n
		defer func() { g.put(stretch{equal, p.aEnd, p.bEnd, n}) }()
	}
	for {
		w := span{p.a, min(p.a+most, p.aEnd), p.b, min(p.b+most, p.bEnd)}
		var items [2][]item
		for i, to := range [...][2]int{{w.a, w.aEnd}, {w.b, w.bEnd}} {
			var err error
			if items[i], err = b.children(g, i, to[0], to[1]); err != nil {
				return err
			}
		}
		half := span{aEnd: (most + 1) / 2, bEnd: (most + 1) / 2}
		if w == p {
			half.aEnd, half.bEnd = w.aEnd-w.a, w.bEnd-w.b
		}
		for _, s := range align(items[0], items[1]) {
			// What is left of the window at the place where the stretch begins.
			inA, inB := half.aEnd-s.a, half.bEnd-s.b
			n := s.n
			switch s.how {
			case removed:
				n = min(n, inA)
			case added:
				n = min(n, inB)
			default:
				n = min(n, inA, inB)
			}
			if n <= 0 {
				break
			}
			g.put(stretch{s.how, w.a + s.a, w.b + s.b, n})
			if s.how != added {
				p.a = w.a + s.a + n
			}
			if s.how != removed {
				p.b = w.b + s.b + n
			}
			if n < s.n {
				break
			}
		}
		if w.aEnd == p.aEnd && w.bEnd == p.bEnd && p.a == p.aEnd && p.b == p.bEnd {
			return nil
		}
	}
}

// children returns children of a list, from from to to. They are there until those of the same list are read again.
func (b *builder) children(g *longs, on, from, to int) (list []item, err error) {
	x := &g.lists[on]
	if g.kept[on] != nil {
		return g.kept[on][from-g.head : to-g.head], nil
	}
	list = slices.Grow(b.items[on][:0], to-from)
	for len(list) < to-from && err == nil {
		if err := b.ctx.Err(); err != nil {
			return nil, err
		}
		err = x.l.use(func(c *format.Context) error {
			for n := min(len(list)+atOnce, to-from); len(list) < n; {
				k, err := x.child(c, from+len(list))
				if err != nil {
					return err
				}
				list = append(list, k.item)
			}
			return nil
		})
	}
	b.items[on] = list
	return list, err
}
