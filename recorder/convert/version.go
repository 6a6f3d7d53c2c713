package convert

import (
	"tracex/format"
	"tracex/recorder/calls"
)

// writtenVersion is the version of the format that the trace is written in. Where the
// options leave it open, what is encoded first settles it: recorded calls are of a
// version, and are taken as they are then; slices are written in the newest.
type writtenVersion struct{ v format.Version }

// settle settles the version where it is open.
func (w *writtenVersion) settle(v format.Version) {
	if w.v == 0 {
		w.v = v
	}
}

func (w *writtenVersion) version() format.Version {
	w.settle(format.Newest)
	return w.v
}

// versionOf returns the version of the objects of a part; ok is false for one that is
// not known.
func versionOf(p *calls.Part) (v format.Version, ok bool) {
	switch p.Format {
	case 0:
		return format.V22, true
	case int(format.V22), int(format.V27):
		return format.Version(p.Format), true
	}
	return 0, false
}

// unquoted makes of a text without quotes what a version has for it: version 22 a kind
// of its own, later ones that of a number, which any text may be.
func unquoted(v *format.Value, to format.Version) {
	switch v.Kind {
	case format.ValueRawString:
		if to < format.V27 {
			return
		}
		if v.Kind = format.ValueBigDecimal; integer(v.Text) {
			v.Kind = format.ValueBigInteger
		}
	case format.ValueBigInteger, format.ValueBigDecimal:
		if to < format.V27 {
			v.Kind = format.ValueRawString
		}
	}
}

// integer reports whether a text is a whole number as one writes it.
func integer(text string) bool {
	if len(text) > 1 && text[0] == '-' {
		text = text[1:]
	}
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != "" && (text[0] != '0' || text == "0")
}

// translate makes of a value that a recorder wrote what the version that is written
// has for it, and reports whether something of it was lost.
func translate(v *format.Value, to format.Version) (lost bool) {
	unquoted(v, to)
	switch {
	case v.Kind == format.ValueJavaClass && to >= format.V27:
		v.Kind = format.ValueBigDecimal // a type's name, without ".class" behind it
	case v.Kind == format.ValueException && to < format.V27:
		lost = v.Captured != nil
		v.Kind, v.Captured = format.ValueObject, nil
	}
	return lost
}
