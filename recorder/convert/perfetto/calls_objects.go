package perfetto

import (
	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/internal/perfetto/calls"
)

// whole opens the containers that are open where a part begins. sound is false if
// they make no sense: then nothing is changed.
func (k *callsThread) whole(p *calls.Part, shift int64) (sound bool, err error) {
	var all []openedCall
	start, began := shift, p.Began
	for rest := p.Open; len(rest) > 0; {
		n, err := k.peek(rest)
		if err != nil || !k.c.point.Class.Container() || len(all) >= maxOpen {
			return false, nil
		}
		if len(began) > 0 {
			var ok bool
			if began, ok = addTime(&start, began); !ok {
				return false, nil
			}
		}
		all = append(all, openedCall{rest[:n], k.c.point, k.c.own, start})
		rest = rest[n:]
	}
	depth := p.Skipped - k.open.unseen
	if depth < 0 || depth > k.open.depth() {
		k.end(0, true)
		k.open.unseen, depth = p.Skipped, 0
	}
	same := k.open.same(depth, all)
	k.end(depth+same, true)
	for i := same; i < len(all); i++ {
		o := &all[i]
		if err := k.begin(); err != nil {
			return false, err
		}
		header, _, err := k.header(o.header)
		if err != nil {
			return false, nil
		}
		o.start = max(o.start, k.c.floor)
		if around := k.open.inner(); around != nil {
			o.start = max(o.start, around.start)
		}
		k.push(header, &k.c.point, min(o.start, k.latest), len(p.Began) > 0)
	}
	return true, nil
}

// peek decodes the identifying fields of a trace point, with its event id in the
// trace. It sets c.own to that of the recorder.
func (k *callsThread) peek(b []byte) (n int, err error) {
	if format.Kind(b[0]) != format.KindTracePoint {
		return 0, format.ErrCorrupt
	}
	p := &k.c.point
	if n, err = k.c.ids.from.DecodeHead(b, p); err == nil {
		k.c.own = p.Event
		p.Event, err = k.c.ids.eventID(p.Event)
	}
	return n, err
}

// header returns the trace point at the start of b in the form of the trace, and its
// size in b. It sets c.point.
func (k *callsThread) header(b []byte) (object []byte, n int, err error) {
	c := k.c
	if n, err = k.peek(b); err != nil || c.ids.same && c.point.Thread == k.id {
		return b[:n], n, err
	}
	if _, err := c.ids.from.DecodePoint(b, &c.point); err != nil {
		return nil, 0, err
	}
	if c.translator != nil {
		if err := c.translator.Point(&c.point); err != nil {
			return nil, 0, err
		}
	}
	if err := c.ids.point(&c.point); err != nil {
		return nil, 0, err
	}
	c.point.Thread = k.id
	c.object, err = c.point.Append(c.object[:0], c.ids.to)
	return c.object, n, err
}

// objects writes the objects of a part up to the first invalid one.
func (k *callsThread) objects(p *calls.Part, ns int64) (sound bool, err error) {
	times, timed := p.Times, len(p.Times) > 0
	mark := func() bool {
		ok := true
		if timed {
			times, ok = addTime(&ns, times)
			k.moment(ns)
		}
		return ok
	}
	for rest := p.Objects; len(rest) > 0; {
		if format.Kind(rest[0]) == format.KindFooter {
			n := k.footerSize(rest)
			if n == 0 || !mark() {
				return false, nil
			}
			k.footer(rest[:n], timed)
			rest = rest[n:]
			continue
		}
		object, n, err := k.header(rest)
		if err != nil || k.open.depth() >= maxOpen || k.c.point.Class.Container() && !mark() {
			return false, nil
		}
		if err := k.begin(); err != nil {
			return false, err
		}
		rest = rest[n:]
		k.add(object, timed)
	}
	return true, nil
}

// add writes a header or a leaf.
func (k *callsThread) add(object []byte, timed bool) {
	p := &k.c.point
	if p.Class.Container() {
		k.push(object, p, k.latest, timed)
	} else {
		k.owe()
		k.t.Leaf(append(k.t.Bytes(), object...))
		k.count(p.Event)
	}
	_ = k.c.w.blocks.Wrote(k.t)
}

// footer writes a footer, unless its container was never seen.
func (k *callsThread) footer(b []byte, timed bool) {
	o := k.open.inner()
	if o == nil {
		k.open.skip()
		k.c.w.left.Count(noBegin, 1, -1)
		return
	}
	o.timed = o.timed && timed
	k.pop(k.c.footer(b, o.class))
}

// footer returns a footer in the form of the trace.
func (c *callsWriter) footer(b []byte, class format.Class) []byte {
	if c.ids.same || class == format.ClassIteration {
		return b
	}
	var f format.Footer
	if _, err := c.ids.from.DecodeFooter(b, class, &f); err != nil {
		f = format.Unfinished(class) // its contents cannot be read, though its size is known
	}
	if c.translator != nil {
		if err := c.translator.Footer(&f, class); err != nil { // impossible: there is room for a class
			f = format.Unfinished(class)
		}
	}
	c.ids.value(&f.Result)
	footer, err := f.Append(c.object[:0], c.ids.to, class)
	if c.object = footer; err != nil {
		footer = c.w.blocks.void // impossible: what the version lacks was translated
	}
	return footer
}

// footerSize returns the size of a footer, or 0 if it is invalid. For a container
// that was never seen, the class is unknown: the first one is assumed for which an
// object follows the footer.
func (k *callsThread) footerSize(b []byte) int {
	if o := k.open.inner(); o != nil {
		size, err := k.c.ids.from.Size(b, o.class)
		if err != nil {
			return 0
		}
		return size
	}
	for _, class := range []format.Class{format.ClassIteration, format.ClassCall, format.ClassLoop} {
		n, err := k.c.ids.from.Size(b, class)
		if err == nil && (n == len(b) || format.Kind(b[n]) == format.KindTracePoint || format.Kind(b[n]) == format.KindFooter) {
			return n
		}
	}
	return 0
}

// begin starts writing the thread, if it has not begun, and writes references first.
func (k *callsThread) begin() error {
	if k.t == nil {
		k.t = k.newBlock()
	}
	return k.c.references(k.t)
}

func (k *callsThread) newBlock() *calltrace.Block {
	b := &calltrace.Block{}
	b.Thread, b.Name, b.Named, b.Early = k.id, k.shown(), true, k.c.early
	return b
}

// end ends the open containers above a depth, whose end is missing. If unknown is
// set, the time of the end is not known.
func (k *callsThread) end(depth int, unknown bool) {
	for k.open.depth() > depth {
		o := k.open.inner()
		f := format.Unfinished(o.class)
		if o.class == format.ClassLoop {
			f.Iterations = o.iterations
		}
		footer, err := f.Append(k.c.object[:0], k.c.ids.to, o.class)
		if k.c.object = footer; err != nil {
			footer = k.c.w.blocks.void // impossible: its text is short
		}
		o.timed = o.timed && !unknown
		k.pop(footer)
	}
}

// push writes a header.
func (k *callsThread) push(header []byte, p *format.Point, start int64, timed bool) {
	t := k.t
	if p.Class == format.ClassIteration {
		k.open.iterate(p.Number)
	}
	k.owe()
	at := t.Header(append(t.Bytes(), header...))
	if timed && start == k.latest {
		t.Touch(start - k.c.w.blocks.To.Origin)
	}
	k.open.push(openCall{class: p.Class, timed: timed, event: p.Event, own: k.c.own, at: at, start: start})
	k.count(p.Event)
}

// pop writes the footer of the innermost container.
func (k *callsThread) pop(footer []byte) {
	t, o := k.t, k.open.pop()
	k.owe()
	time := format.TimeCell{ID: o.event, Duration: format.NoDuration}
	if o.timed {
		origin := k.c.w.blocks.To.Origin
		time.Start, time.Duration = o.start-origin, max(0, k.latest-o.start)
		t.Touch(k.latest - origin)
	}
	t.Footer(append(t.Bytes(), footer...), o.at, time)
	_ = k.c.w.blocks.Wrote(t)
}

// count counts a trace point.
func (k *callsThread) count(event int32) {
	b := k.c.w.blocks
	b.events++
	b.To.Events = max(b.To.Events, int64(event)+1)
}

// moment advances latest to a time.
func (k *callsThread) moment(ns int64) { k.latest = max(k.latest, ns) }

// over ends the thread, which has a trace point.
func (k *callsThread) over() {
	w := k.c.w
	k.end(0, !k.timed)
	k.t.Name = k.shown()
	w.threads = append(w.threads, k.about())
	_ = w.blocks.End(k.t)
}

// about describes the thread.
func (k *callsThread) about() Thread {
	pid := k.c.r.pid
	return Thread{ID: k.id, Name: k.shown(), PID: pid.pid(), Process: k.c.w.tracks.processTitle(pid), Thread: k.name}
}

// shown returns the thread's name in the trace.
func (k *callsThread) shown() string { return k.c.w.dictionary.Text([]byte(k.c.r.name + k.name)) }
