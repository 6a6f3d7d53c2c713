package perfetto

import (
	"tracex/format"
)

// legacyCounter adds the values of a counter of the older kind. They are its debug
// annotations: "size.value" of an event "size" is the counter's own value.
func (x *eventReader) legacyCounter(o *occurrence, l *timeline) error {
	e := o.event
	found := false
	for _, b := range e.annotations {
		var n annotation
		if !n.parse(b) {
			x.arguments.left++
			continue
		}
		r := record{kind: recordLong, bits: n.bits}
		of := format.Type{Kind: format.TypeLong}
		switch n.kind {
		case annotationInt, annotationUint:
		case annotationDouble:
			r.kind, of.Kind = recordDouble, format.TypeDouble
		default:
			x.arguments.left++
			continue
		}
		if known := o.sequence.find(internedAnnotationNames, n.nameIID); known != nil {
			n.name = known.text
		}
		name := append(x.labels.text[:0], o.name.text...)
		if len(n.name) > 0 && string(n.name) != "value" {
			name = append(append(name, '.'), n.name[:min(len(n.name), maxPath)]...)
		}
		x.labels.text = name
		r.variable = x.dictionary.Variable(name, of)
		found = true
		if err := x.sink.add(o.packet, l, o.ns, &r); err != nil {
			return err
		}
	}
	if !found {
		x.left.Count(withoutValue, 1, o.packet.offset)
	}
	return nil
}
