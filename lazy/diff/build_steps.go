package diff

import (
	"tracex/format"
)

// planned is a stretch of equal children, or a child that differs.
type planned struct {
	at [2]childAt
	n  int64 // siblings
	// calls in it: of an equal or paired one those of B
	calls int64
}

// child puts the next stretch of a frame, if it is of equal children, or else the next child.
func (b *builder) child(f *frame) error {
	s := &b.stretches[f.at]
	h, p := s.how, planned{n: 1}
	if h == equal {
		p.n = int64(s.n)
	}
	for i, at := range [...]int{s.a, s.b} {
		if h == removed+how(1-i) {
			continue
		}
		b.on = i
		if err := p.find(b.c[i], &f.lists[i], i, at); err != nil {
			return err
		}
		b.passed[i] = p.at[i].at
	}
	b.left -= 1
	if s.n -= int(p.n); s.n == 0 {
		f.at++
	} else if h != added {
		s.a++
	}
	if s.n > 0 && h != removed {
		s.b++
	}
	switch h {
	case equal:
		b.script.put(step{kind: stepEqual, a: p.at[0].at, b: p.at[1].at, n: p.n, calls: p.calls})
		b.counts.EqualCalls += p.calls
		f.marks |= marked(format.DiffUnchanged)
		return nil
	case removed:
		return b.lone(f, 0, &p)
	case added:
		return b.lone(f, 1, &p)
	}
	return b.partners(f, &p)
}

// find adds to p what one side has of it: p.n children from i on.
func (p *planned) find(c *format.Context, x *list, on, i int) (err error) {
	if p.at[on], err = x.child(c, i); err != nil {
		return err
	}
	after, err := x.child(c, i+int(p.n))
	p.calls = after.before - p.at[on].before
	return err
}

// marked returns the bit of a status in the marks of a step.
func marked(s format.DiffStatus) uint8 { return 1 << s }

// changes are the marks of what differs.
const changes = ^uint8(1 << format.DiffUnchanged)

// lone puts a child that only one side has, with everything in it.
func (b *builder) lone(f *frame, on int, p *planned) error {
	l, x := b.lanes[on], &p.at[on]
	b.on = on
	e := &l.data
	if _, err := l.w.Next(x.at, x.first, f.lists[on].in.end, e, false); err != nil {
		return err
	}
	s := step{kind: stepRemoved + stepKind(on), a: -1, b: -1, calls: p.calls}
	status := format.DiffRemoved
	if on == 0 {
		s.a = x.at
	} else {
		s.b, status = x.at, format.DiffAdded
	}
	s.group = mix(mix(uint64(s.kind), l.sign.key(b.c[on], e.Point.Class, e.Point.Ref)), f.group)
	s.quiet = b.quiet[s.group]
	at := b.script.put(s)
	if s.quiet {
		b.counts.Quiet++
		f.marks |= marked(format.DiffUnchanged)
		return nil
	}
	f.marks |= marked(status)
	b.counts.add(&s)
	if e.End == e.Start {
		return nil
	}
	return b.movable(on, l.list(content{e.Start, e.End, e.First}), subtree{step: at, v: x.v, s: x.s, points: 1})
}

// moving is a subtree that may have been moved or renamed, and its children, as far as they have been read.
type moving struct {
	on int
	in list
	subtree
}

// movable keeps what may have been moved or renamed.
func (b *builder) movable(on int, in list, t subtree) error {
	b.moving = moving{on, in, t}
	more, err := b.moving.read(b.c[on])
	if b.left -= b.moving.in.n; err != nil {
		return err
	}
	if more {
		b.later = b.moveLong
		return nil
	}
	b.moves[on].add(b.moving.subtree)
	return nil
}

// moveLong reads on. It must not be called within both.
func (b *builder) moveLong() error {
	m := &b.moving
	for more := true; more; {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		err := m.in.l.use(func(c *format.Context) (err error) {
			more, err = m.read(c)
			return err
		})
		if err != nil {
			return err
		}
	}
	b.moves[m.on].add(m.subtree)
	return nil
}

// read reads children. It returns false at the end. It must be called within use.
func (m *moving) read(c *format.Context) (more bool, err error) {
	for range atOnce {
		k, ok, err := m.in.read(c)
		if !ok || err != nil {
			return false, err
		}
		m.inner = mix(m.inner, k.v)
		nested := m.in.l.data.Nested()
		if m.points += 1 + nested; m.in.l.data.HasContent() && nested == 0 {
			m.points++ // there is a leaf in it
		}
	}
	return true, nil
}

// partners puts two partners that differ, and begins a frame for what is in them.
func (b *builder) partners(f *frame, p *planned) error {
	var n [2]single
	for i, l := range b.lanes {
		var err error
		b.on = i
		if n[i], err = l.single(b.c[i], &p.at[i], f.lists[i].in.end); err != nil {
			return err
		}
	}
	x, y := &n[0], &n[1]
	s := step{kind: stepPair, a: p.at[0].at, b: p.at[1].at}
	if x.class.Container() {
		s.kind = stepEnter
	}
	if s.own = x.sign != y.sign || x.foot != y.foot; s.own {
		values, err := unlike(b.lanes, b.c, x.foot != y.foot)
		if err != nil {
			return err
		}
		s.n = int64(values)
		s.group = mix(mix(uint64(stepPair), x.sign.key), values)
		s.quiet = b.quiet[s.group]
	}
	if s.quiet {
		b.counts.Quiet++
	}
	inner := frame{pair: *p, own: s.own, quiet: s.quiet, step: b.script.put(s), group: x.sign.key, alone: -1, equal: b.counts.EqualCalls}
	if s.kind != stepEnter {
		f.marks |= b.counted(&inner)
		return nil
	}
	for i, l := range b.lanes {
		inner.lists[i] = l.list(n[i].content)
	}
	b.stack = append(b.stack, inner)
	return nil
}

// paired ends the frame of two partners, and returns their marks.
func (b *builder) paired(f *frame) uint8 {
	if f.marks&changes == 0 && (!f.own || f.quiet) {
		b.forget(f.step, &f.pair)
		b.counts.EqualCalls = f.equal + f.pair.calls
		return marked(format.DiffUnchanged)
	}
	b.exit(f.step, f.marks)
	return f.marks | b.counted(f)
}

// counted counts two partners that are put, and returns the marks of themselves.
func (b *builder) counted(f *frame) uint8 {
	if !f.own || f.quiet {
		return marked(format.DiffUnchanged)
	}
	b.counts.add(&step{kind: stepPair, own: true})
	return marked(format.DiffEditedOld) | marked(format.DiffEditedNew)
}

// forget makes a pair in which nothing counts an equal one.
func (b *builder) forget(at int64, p *planned) {
	b.script.cut(at + 1)
	b.script.change(at, func(s *step) {
		*s = step{kind: stepEqual, quiet: true, a: s.a, b: s.b, n: 1, calls: p.calls}
	})
}
