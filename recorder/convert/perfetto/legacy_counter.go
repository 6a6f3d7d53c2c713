package perfetto

import "tracex/format"

// legacyCounter adds the values of a counter of the older kind, which are its
// debug annotations: "size.value" of an event "size" is the counter's own.
func (c *Converter) legacyCounter(p *packet, s *sequence, e *event, l *line, time int64) error {
	found := false
	for _, b := range e.annotations {
		var n annotation
		if !n.parse(b) {
			c.arguments.left++
			continue
		}
		r := record{kind: recordLong, bits: n.bits}
		of := format.Type{Kind: format.TypeLong}
		switch n.kind {
		case annotationInt, annotationUint:
		case annotationDouble:
			r.kind, of.Kind = recordDouble, format.TypeDouble
		default:
			c.arguments.left++
			continue
		}
		if known := s.find(internedAnnotationNames, n.nameIID); known != nil {
			n.name = known.text
		}
		name := append(c.text[:0], c.name.text...)
		if len(n.name) > 0 && string(n.name) != "value" {
			name = append(append(name, '.'), n.name[:min(len(n.name), maxPath)]...)
		}
		c.text = name
		r.variable = c.dictionary.variable(name, of)
		c.record, found = r, true
		if err := c.add(l, time); err != nil {
			return err
		}
	}
	if !found {
		c.leave(withoutValue, p)
	}
	return nil
}
