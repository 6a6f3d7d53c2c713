package export

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format"
	"tracex/format/pbfield"
	"tracex/lazy"
)

type perfettoEncoder struct {
	names  *Names
	fresh  interned // used by this encoder
	texts  []internedText
	shared bool // values are exported
	value  []byte
}

func (e *perfettoEncoder) begin(int32) {}

// intern notes that a text is used.
func (e *perfettoEncoder) intern(table protowire.Number, id uint64, text func() string) uint64 {
	if t := e.fresh.table(table); !t[id] {
		t[id] = true
		e.texts = append(e.texts, internedText{table: table, iid: id, text: text()})
	}
	return id
}

func (e *perfettoEncoder) fixed(table protowire.Number, n int32) uint64 {
	return e.intern(table, iid(ofFixed, n), func() string { return fixedTexts[n] })
}

// open begins a packet of an event, and returns where its length and that of the event belong.
func (e *perfettoEncoder) open(dst []byte, at int64, kind uint64) (b []byte, packetAt, eventAt int) {
	b = append(dst, pbfield.Trace_Packet<<3|2, 0)
	packetAt = len(b) - 1
	b = number(b, pbfield.TracePacket_Timestamp, uint64(at))
	b = append(b, pbfield.TracePacket_TrustedPacketSequenceId<<3, sequence, packetFlags<<3, flagNeeded)
	b = append(b, pbfield.TracePacket_TrackEvent<<3|2, 0)
	eventAt = len(b) - 1
	return append(b, pbfield.TrackEvent_Type<<3, byte(kind)), packetAt, eventAt
}

func closeEvent(b []byte, packetAt, eventAt int) []byte {
	return closeMessage(closeMessage(b, eventAt), packetAt)
}

func (e *perfettoEncoder) enter(dst []byte, p *lazy.PassPoint, s Span) []byte {
	b, packetAt, eventAt := e.open(dst, s.Begin, pbfield.TrackEvent_TYPE_SLICE_BEGIN)
	kind := ofMethod
	switch p.Class {
	case format.ClassLoop:
		kind = ofLoop
	case format.ClassIteration:
		kind = ofIteration
	}
	b = number(b, pbfield.TrackEvent_NameIid, e.intern(internedEvents, iid(kind, p.Ref), func() string { return e.names.Of(p).Name }))
	if kind != ofMethod {
		b = number(b, pbfield.TrackEvent_CategoryIids, e.fixed(internedCategories, fixedLoops))
	} else if c := e.names.Of(p); c.Class != "" {
		if m := p.Context().Method(p.Ref); m != nil {
			b = number(b, pbfield.TrackEvent_CategoryIids, e.intern(internedCategories, iid(ofClass, m.ClassID), func() string { return c.Class }))
		}
	}
	b = e.location(b, p)
	if kind == ofMethod && e.shared {
		b = e.arguments(b, p)
	}
	return closeEvent(b, packetAt, eventAt)
}

func (e *perfettoEncoder) location(b []byte, p *lazy.PassPoint) []byte {
	if p.Location < 0 {
		return b
	}
	id := uint64(p.Location) + 1
	if !e.fresh.locations[id] {
		file, line, ok := p.Context().FileLine(p.Location)
		if !ok {
			return b
		}
		t := internedText{table: internedLocations, iid: id, text: file, line: line}
		if l := p.Context().Location(p.Location); l != nil {
			t.function, _ = p.Context().Text(l.Method)
		}
		e.fresh.locations[id] = true
		e.texts = append(e.texts, t)
	}
	return number(b, pbfield.TrackEvent_SourceLocationIid, id)
}

func (e *perfettoEncoder) arguments(b []byte, p *lazy.PassPoint) []byte {
	point, err := p.Point()
	if err != nil {
		return b
	}
	if point.Target.Kind != format.ValueNull {
		b = e.annotation(b, p, e.fixed(internedAnnotations, fixedReceiver), &point.Target)
	}
	var paths []int32
	if l := p.Context().Location(p.Location); l != nil && p.Location >= 0 && len(l.ArgNames) == len(point.Args) {
		paths = l.ArgNames
	}
	for i := range point.Args {
		id := iid(ofFixed, fixedNames+int32(i))
		if paths != nil {
			id = iid(ofPath, paths[i])
		}
		e.intern(internedAnnotations, id, func() string { return e.names.Arg(p, point, i) })
		b = e.annotation(b, p, id, &point.Args[i])
	}
	return b
}

func (e *perfettoEncoder) annotation(b []byte, p *lazy.PassPoint, name uint64, v *format.Value) []byte {
	b = append(b, pbfield.TrackEvent_DebugAnnotations<<3|2, 0)
	at := len(b) - 1
	b = number(b, pbfield.DebugAnnotation_NameIid, name)
	switch ScalarOf(v) {
	case Integer:
		b = number(b, pbfield.DebugAnnotation_IntValue, uint64(v.Bits))
	case Real:
		b = protowire.AppendTag(b, pbfield.DebugAnnotation_DoubleValue, protowire.Fixed64Type)
		b = protowire.AppendFixed64(b, math.Float64bits(v.Float()))
	case Truth:
		b = number(b, pbfield.DebugAnnotation_BoolValue, uint64(v.Bits&1))
	default:
		e.value = AppendText(e.value[:0], p.Context(), v)
		b = texts(b, pbfield.DebugAnnotation_StringValue, e.value)
	}
	return closeMessage(b, at)
}

func (e *perfettoEncoder) exit(dst []byte, p *lazy.PassPoint, s Span) []byte {
	b, packetAt, eventAt := e.open(dst, s.End, pbfield.TrackEvent_TYPE_SLICE_END)
	f, err := p.Footer()
	switch {
	case err != nil || p.Class != format.ClassCall:
	case !s.Ended || f == nil:
		b = e.annotation(b, p, e.fixed(internedAnnotations, fixedUnfinished), &format.Value{Kind: format.ValueBoolean, Bits: 1})
	case f.Threw || f.Exception != "":
		b = e.annotation(b, p, e.fixed(internedAnnotations, fixedException), &format.Value{Kind: format.ValueString, Text: f.Exception})
	case e.shared && f.Result.Kind != format.ValueVoid:
		b = e.annotation(b, p, e.fixed(internedAnnotations, fixedResult), &f.Result)
	}
	return closeEvent(b, packetAt, eventAt)
}

func (e *perfettoEncoder) leaf(dst []byte, p *lazy.PassPoint, at int64) []byte {
	point, err := p.Point()
	if err != nil {
		return dst
	}
	b, packetAt, eventAt := e.open(dst, at, pbfield.TrackEvent_TYPE_INSTANT)
	var name uint64
	switch p.Class {
	case format.ClassVariableRead, format.ClassVariableWrite:
		name = e.intern(internedEvents, iid(ofVariable, p.Ref), func() string { return p.Context().VariableName(p.Ref) })
	case format.ClassFieldRead, format.ClassFieldWrite:
		name = e.intern(internedEvents, iid(ofField, p.Ref), func() string { return p.Context().FieldName(p.Ref) })
	case format.ClassArrayRead, format.ClassArrayWrite:
		name = e.fixed(internedEvents, fixedElement)
	case format.ClassThrow:
		name = e.fixed(internedEvents, fixedThrow)
	case format.ClassCatch:
		name = e.fixed(internedEvents, fixedCatch)
	default:
		name = e.fixed(internedEvents, fixedSnapshot)
	}
	b = number(b, pbfield.TrackEvent_NameIid, name)
	b = e.location(b, p)
	if e.shared {
		if hasTarget(p.Class) && point.Target.Kind != format.ValueNull {
			b = e.annotation(b, p, e.fixed(internedAnnotations, fixedReceiver), &point.Target)
		}
		if p.Class == format.ClassArrayRead || p.Class == format.ClassArrayWrite {
			b = e.annotation(b, p, e.fixed(internedAnnotations, fixedIndex), &format.Value{Kind: format.ValueInt, Bits: int64(point.Number)})
		}
		if p.Class != format.ClassSnapshot {
			b = e.annotation(b, p, e.fixed(internedAnnotations, fixedValue), &point.Value)
		}
	}
	return closeEvent(b, packetAt, eventAt)
}

// hasTarget reports whether points of a class, which are no containers, are about an object.
func hasTarget(c format.Class) bool {
	switch c {
	case format.ClassFieldRead, format.ClassFieldWrite, format.ClassArrayRead, format.ClassArrayWrite:
		return true
	}
	return false
}
