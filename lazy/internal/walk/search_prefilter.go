package walk

import (
	"math"
	"strconv"

	"tracex/format"
)

// textPrefilter tells which pieces of a search the text of a point may have, without decoding the point.
// It may name too many, never too few. One goroutine uses it, within a pass.
type textPrefilter struct {
	*pieces
	ctx     *format.Context
	version format.Version
	finders [2]*finder // nil if absent
	verbose bool       // texts have the code location
	full    bool       // the full names of classes may be searched together with texts

	methods, superCalls, classes, fields, variables, locations idPieces

	words     wordPieces
	numbers   [1 << numberBits]numberPieces // seen last: identity hashes occur again and again
	scratch   []byte
	inner     format.PartialValue
	held      pieceSet                           // in what was captured in a value
	seen      func([]byte, *format.PartialValue) // see
	cursor    format.ValueCursor
	prefilter *format.Prefilter // nil if all points have to be looked at
}

// wordPieces are the pieces in the fixed words of texts.
type wordPieces struct {
	loop, iteration, throw, catch, threw, location pieceSet
	values                                         [256]pieceSet // by kind
}

func newTextPrefilter(p *pieces, c *format.Context, finders [2]*finder, verbose, full bool) *textPrefilter {
	x := &textPrefilter{pieces: p, ctx: c, version: c.Version(), finders: finders, verbose: verbose, full: full}
	w := &x.words
	w.loop, w.iteration = p.inWord("loop iterations"), p.inWord("iteration")
	w.throw, w.catch, w.threw = p.inWord("throw"), p.inWord("catch"), p.inWord("threw")
	if verbose {
		w.location = p.inWord("at 0 unknown")
	}
	for kind, text := range map[format.ValueKind]string{
		format.ValueNull: "null nil", format.ValueVoid: "void", format.ValueUnit: "Unit", format.ValueBoolean: "true false",
		format.ValueUnfinished: format.UnfinishedMethod, format.ValueUntracked: format.UntrackedResult,
		format.ValueBuilder: "StringBuilder", format.ValueJavaClass: "class", format.ValueKotlinClass: "kclass",
	} {
		w.values[kind] = p.inWord(text)
	}
	x.seen = x.see
	x.makePrefilter()
	return x
}

// idPieces are the pieces in the names of objects, by id; 0 if not known.
type idPieces []pieceSet

// maxTable limits how many ids are remembered. Recorders count them up from 0, but a damaged
// trace may have any number.
const maxTable = 1 << 22

func (t idPieces) get(id int32) pieceSet {
	if uint(id) < uint(len(t)) {
		return t[id]
	}
	return 0
}

// put remembers the pieces for an id, and returns them.
func (t *idPieces) put(id int32, got pieceSet) pieceSet {
	got |= tested
	if id < 0 || id >= maxTable {
		return got
	}
	if n := int(id) + 1 - len(*t); n > 0 {
		*t = append(*t, make([]pieceSet, n+len(*t)/2+256)...)
	}
	(*t)[id] = got
	return got
}

// The methods below return all pieces for an id that the Context does not have yet: then the
// point is decoded. With the pieces come the bits of the finders that are sure to match.

// class returns the pieces in the names of a class that are shown.
func (x *textPrefilter) class(id int32) pieceSet {
	if got := x.classes.get(id); got != 0 {
		return got
	}
	c := x.ctx.Class(id)
	if c == nil {
		return allPieces
	}
	got := x.classes.put(id, x.inWord(lastPart(c.Name)))
	if x.prefilter != nil {
		skippable(&x.prefilter.Classes, id, got, 0)
	}
	return got
}

// method returns the pieces in the names of a method and its class, with the words of its calls.
func (x *textPrefilter) method(id int32, flags int16) pieceSet {
	table := &x.methods
	if flags&format.FlagSuper != 0 {
		table = &x.superCalls
	}
	if got := table.get(id); got != 0 {
		return got
	}
	m := x.ctx.Method(id)
	if m == nil || x.ctx.Class(m.ClassID) == nil || m.Name == format.EqualMethod { // its text has other words
		return allPieces
	}
	name, _ := x.ctx.CallName(id, flags)
	class := x.ctx.Class(m.ClassID).Name
	if !x.full {
		class = lastPart(class)
	}
	got := table.put(id, x.inWord(name)|x.inWord(m.Name)|x.inWord(class)|x.parameters(id)|x.surely(func(f *finder) bool {
		return f.name(x.ctx, &format.Point{Ref: id, Flags: flags}).found
	}))
	if x.prefilter != nil {
		ids, also := &x.prefilter.Methods, uint8(0)
		if flags&format.FlagSuper != 0 {
			ids = &x.prefilter.SuperCalls
		}
		if x.ctx.MayFold(id) {
			also = format.SkipFold
		}
		skippable(ids, id, got, also)
	}
	return got
}

// parameters returns the pieces in the names of a method's parameters, which a row may add to its calls.
func (x *textPrefilter) parameters(method int32) (got pieceSet) {
	may := func(f *finder) bool { return f != nil && !f.limits.NoEquals }
	if may(x.finders[0]) || may(x.finders[1]) {
		for _, name := range format.ParametersOf(x.ctx, method) {
			got |= x.inWord(name)
		}
	}
	return got
}

// surely returns the bits of the finders that are sure to match.
func (x *textPrefilter) surely(matches func(f *finder) bool) (got pieceSet) {
	for i, f := range x.finders {
		if f != nil && matches(f) {
			got |= sureFirst << i
		}
	}
	return got
}

// field returns the pieces in the names of a field and its class.
func (x *textPrefilter) field(id int32) pieceSet {
	if got := x.fields.get(id); got != 0 {
		return got
	}
	f := x.ctx.Field(id)
	if f == nil || x.ctx.Class(f.ClassID) == nil {
		return allPieces
	}
	got := x.fields.put(id, x.inWord(f.Name)|x.class(f.ClassID))
	if x.prefilter != nil && !x.ctx.Coverage(&format.Point{Class: format.ClassFieldRead, Ref: id}) {
		skippable(&x.prefilter.Fields, id, got, 0)
	}
	return got
}

func (x *textPrefilter) variable(id int32) pieceSet {
	if got := x.variables.get(id); got != 0 {
		return got
	}
	v := x.ctx.Variable(id)
	if v == nil {
		return allPieces
	}
	got := x.variables.put(id, x.inWord(v.Name))
	if x.prefilter != nil && !x.ctx.Coverage(&format.Point{Class: format.ClassVariableRead, Ref: id}) {
		skippable(&x.prefilter.Variables, id, got, 0)
	}
	return got
}

// location returns the pieces in the access paths of a code location, and in its file and line
// if texts have them.
func (x *textPrefilter) location(id int32) pieceSet {
	if id < 0 {
		return x.words.location
	}
	if got := x.locations.get(id); got != 0 {
		return got
	}
	var known bool
	if x.scratch, known = x.ctx.AppendLocationTexts(x.scratch[:0], id, x.verbose); !known {
		return allPieces
	}
	got := x.locations.put(id, x.within(x.scratch)|x.words.location|x.surely(func(f *finder) bool {
		return !f.limits.NoDot && f.matchesLocation(x.ctx, id)
	}))
	if x.prefilter != nil {
		also := uint8(0)
		if x.ctx.Coverage(&format.Point{Class: format.ClassArrayRead, Location: id}) {
			also = format.SkipFold
		}
		skippable(&x.prefilter.Locations, id+1, got, also)
	}
	return got
}

// header returns the pieces in the header or leaf of a point, from its bytes.
func (x *textPrefilter) header(p *PassPoint) (got pieceSet) {
	b := p.Bytes()
	if got = x.location(p.Location); got&sureFirst != 0 {
		return got
	}
	array := false
	switch p.Class {
	case format.ClassCall:
		if got |= x.method(p.Ref, format.CallFlags(b)); got&sureFirst != 0 {
			return got
		}
	case format.ClassVariableRead, format.ClassVariableWrite:
		got |= x.variable(p.Ref)
	case format.ClassFieldRead, format.ClassFieldWrite:
		got |= x.field(p.Ref)
	case format.ClassArrayRead, format.ClassArrayWrite:
		array = true
	case format.ClassLoop:
		return got | x.words.loop
	case format.ClassIteration:
		return got | x.words.iteration | x.number(int64(format.IterationOf(b, x.version))+1)
	case format.ClassThrow:
		got |= x.words.throw
	case format.ClassCatch:
		got |= x.words.catch
	}
	c := &x.cursor
	for c.Start(x.version, b, p.Class); c.Next(); {
		if !c.Target || c.Kind != format.ValueNull { // a receiver is not shown if there is none
			got |= x.shown(&c.PartialValue)
		}
	}
	switch {
	case c.Failed:
		return allPieces
	case array:
		got |= x.number(int64(c.Index))
	}
	return got
}

// footer returns the pieces in the footer of a container, from its bytes.
func (x *textPrefilter) footer(class format.Class, b []byte) (got pieceSet) {
	switch class {
	case format.ClassCall:
		var f format.PartialFooter
		if !x.version.PartialFooter(b, &f) {
			return allPieces
		}
		if f.Result.Kind != format.ValueVoid {
			got = x.shown(&f.Result)
		}
		if f.Threw {
			got |= x.words.threw | x.inRaw(f.Exception)
		}
	case format.ClassLoop:
		if len(b) < format.LoopFooterSize {
			return allPieces
		}
		got = x.number(int64(format.IterationsOf(b)))
	}
	return got
}

// shown returns the pieces in the text of a value.
func (x *textPrefilter) shown(v *format.PartialValue) (got pieceSet) {
	if v.Rest || v.Within { // which a row may add
		return x.captured(v.Encoded)
	}
	return x.plain(v)
}

// captured returns the pieces in the text of a value with what was captured in it.
func (x *textPrefilter) captured(encoded []byte) pieceSet {
	x.held = x.words.values[format.ValueNull]
	if !format.Contents(x.version, encoded, &x.inner, x.seen) {
		return allPieces
	}
	return x.held
}

// see notes the pieces in a part of what was captured.
func (x *textPrefilter) see(text []byte, in *format.PartialValue) {
	switch {
	case in == nil:
		x.held |= x.inRaw(text)
	case in.Kind == format.ValueArray && in.Within:
		x.held |= x.plain(in) | x.digits // the text tells how many elements are left out
	default:
		x.held |= x.plain(in)
	}
}

// plain returns the pieces in the text of a value, without those in what was captured in it.
func (x *textPrefilter) plain(v *format.PartialValue) pieceSet {
	switch v.Kind {
	case format.ValueObject, format.ValueArray, format.ValueException:
		return x.class(v.ClassID) | x.hash(v)
	case format.ValueByte, format.ValueShort, format.ValueInt, format.ValueLong:
		return x.number(v.Bits)
	case format.ValueFloat, format.ValueDouble:
		return x.floats
	case format.ValueChar:
		if v.Bits <= ' ' || v.Bits >= 0x7f {
			return allPieces
		}
		return x.ofByte(byte(v.Bits))
	case format.ValueSequence:
		return x.class(v.ClassID) | x.hash(v) | x.inRaw(v.Text)
	case format.ValueEnum:
		return x.class(v.ClassID) | x.inRaw(v.Text)
	case format.ValueBuilder:
		return x.words.values[v.Kind] | x.hash(v) | x.inRaw(v.Text)
	}
	got := x.words.values[v.Kind]
	if len(v.Text) > 0 {
		got |= x.inRaw(v.Text)
	}
	return got
}

// hash returns the pieces in the identity hash of an object.
func (x *textPrefilter) hash(v *format.PartialValue) pieceSet { return x.number(int64(int32(v.Bits))) }

// number returns the pieces in an integer.
func (x *textPrefilter) number(n int64) (got pieceSet) {
	if x.digits == 0 {
		return 0
	}
	known := &x.numbers[uint64(n)*0x9e3779b97f4a7c15>>(64-numberBits)]
	if known.n == n && known.got != 0 {
		return known.got &^ tested
	}
	var buf [20]byte
	text := strconv.AppendInt(buf[:0], n, 10)
	for i := range x.texts {
		if x.digits&(1<<i) != 0 && x.texts[i].In(text) {
			got |= 1 << i
		}
	}
	*known = numberPieces{n, got | tested}
	return got
}

// numberPieces are the pieces in a number; 0 if not known.
type numberPieces struct {
	n   int64
	got pieceSet
}

const numberBits = 10

// makePrefilter makes the prefilter of bytes: points whose bytes have none of the pieces are passed without
// being looked at. It makes none if nothing can be told of points by their bytes.
func (x *textPrefilter) makePrefilter() {
	needed := func(finder int) bool { return len(x.needs[finder]) > 0 }
	if !needed(0) || x.finders[1] != nil && !needed(1) {
		return
	}
	single := false
	for i := range x.texts {
		single = single || x.texts[i].Len() == 1
	}
	x.prefilter = format.NewPrefilter(x.version, func(kind format.ValueKind) bool {
		switch kind {
		case format.ValueFloat, format.ValueDouble:
			return x.floats == 0
		case format.ValueChar:
			return !single
		}
		return x.words.values[kind] == 0
	})
	x.prefilter.Text = func(raw []byte) bool { return x.inRaw(raw) == 0 }
	x.prefilter.Captured = func(b []byte) bool { return x.captured(b)&^tested == 0 }
	x.prefilter.Loops, x.prefilter.Iterations = x.words.loop|x.digits == 0, x.words.iteration|x.digits == 0
	if x.digits != 0 {
		x.prefilter.Number, x.prefilter.Least = func(n int64) bool { return x.number(n) == 0 }, x.least()
	}
	skippable(&x.prefilter.Locations, 0, x.words.location, 0)
}

// least returns the least number from 0 on whose digits have a piece.
func (x *textPrefilter) least() int64 {
	least := int64(math.MaxInt64)
	for i := range x.texts {
		if x.digits&(1<<i) == 0 {
			continue
		}
		text := x.texts[i].String()
		if len(text) > 1 && text[0] == '0' {
			text = "1" + text
		}
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			least = min(least, n)
		}
	}
	return least
}

// skippable remembers that points with an id can be skipped, if its names have none of the pieces.
func skippable(t *format.SkipIDs, id int32, got pieceSet, also uint8) {
	if got&^tested != 0 || id < 0 || id >= maxTable {
		return
	}
	if n := int(id) + 1 - len(*t); n > 0 {
		*t = append(*t, make(format.SkipIDs, n+len(*t)/2+256)...)
	}
	(*t)[id] = format.SkipNames | also
}
