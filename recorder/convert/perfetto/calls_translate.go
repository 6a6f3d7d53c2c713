package perfetto

import (
	"context"

	"tracex/format"
	"tracex/recorder/internal/perfetto/calls"
)

// Objects recorded in another version of the format than the trace is written in are
// translated one by one, see format.Translator, before their ids become those of the
// trace.

// surveyed is how many objects of a rare kind are surveyed before the others are
// translated. For the rest, missing information is guessed.
const surveyed = 1 << 18

// translate makes the translator for a recorder, or nil if the versions are equal.
func (c *callsWriter) translate(ctx context.Context) error {
	c.translator = nil
	if c.ids.from == c.ids.to {
		return nil
	}
	known, err := c.survey(ctx)
	if err != nil {
		return err
	}
	if c.translator, err = format.NewTranslator(c.ids.from, c.ids.to, known); err != nil {
		return err
	}
	c.translator.NewClass = func() (int32, error) { return ownClass, nil }
	return nil
}

// translated adds up what was guessed and lost.
func (c *callsWriter) translated() {
	if c.translator == nil {
		return
	}
	for change, n := range c.translator.Changes() {
		if c.changes == nil {
			c.changes = make(map[format.Change]int64)
		}
		c.changes[change] += n
	}
}

// owe writes the class that the next object needs.
func (k *callsThread) owe() {
	if k.c.translator == nil {
		return
	}
	d := k.c.translator.Owed()
	if d == nil {
		return
	}
	d.ID = k.c.ids.own
	if object, err := d.Append(nil, k.c.ids.to); err == nil { // cannot fail: its name is short
		k.t.Reference(object, k.c.w.blocks.To.Version())
	}
}

// survey surveys all data of a recorder.
func (c *callsWriter) survey(ctx context.Context) (*format.Survey, error) {
	s := &surveyor{known: format.NewSurvey(c.ids.from), version: c.ids.from, left: surveyed}
	n := 0
	err := c.w.spool.Each(ctx, func(_ int64, object []byte) error {
		if n++; n <= surveyed {
			s.note(object)
		}
		return nil
	}, c.r.references)
	for _, records := range c.r.threads {
		if err != nil {
			return nil, err
		}
		s.stack = s.stack[:0]
		err = c.w.spool.Each(ctx, s.part, records)
	}
	return s.known, err
}

// surveyor surveys the parts of a thread, as far as they are valid.
type surveyor struct {
	known   *format.Survey
	version format.Version
	stack   []format.Class // of the open containers
	left    int            // exceptions that may still be surveyed
}

// note surveys an object. A damaged one is reported when it is written.
func (s *surveyor) note(object []byte) { _ = s.known.Object(object) }

// part surveys the part that callsThread.record writes.
func (s *surveyor) part(_ int64, record []byte) error {
	p, err := calls.Decode(decodePart(record).data)
	if err != nil { // impossible: it was read before
		return nil
	}
	if p.Whole {
		s.stack = s.stack[:min(p.Skipped, len(s.stack))]
		s.objects(p.Open)
	}
	s.objects(p.Objects)
	return nil
}

func (s *surveyor) objects(b []byte) {
	for len(b) > 0 && len(s.stack) < maxOpen {
		open := format.ClassThrow // not a container
		if n := len(s.stack); n > 0 {
			open = s.stack[n-1]
		}
		size, err := s.version.Size(b, open)
		switch {
		case err != nil:
			return
		case format.Kind(b[0]) == format.KindFooter && open.Container():
			s.stack = s.stack[:len(s.stack)-1]
		case format.Kind(b[0]) == format.KindTracePoint:
			s.point(b[:size])
		default:
			return
		}
		b = b[size:]
	}
}

// point surveys a trace point, within the limit.
func (s *surveyor) point(b []byte) {
	class, _ := s.version.PointClass(b[format.PointClassAt])
	if class.Container() {
		s.stack = append(s.stack, class)
	}
	if class == format.ClassThrow || class == format.ClassCatch {
		if s.left--; s.left < 0 {
			return
		}
	}
	if at := format.LocationOf(b); at < surveyed {
		s.note(b)
	}
}
