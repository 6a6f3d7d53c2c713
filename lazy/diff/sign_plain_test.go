package diff

import (
	"regexp"

	"tracex/format"
	"tracex/lazy"
)

// plainSigner makes signs of points that have been decoded: what [signer] makes of their bytes.
type plainSigner struct{ *signer }

// plainTextHash is hashText of a text that has been decoded.
func plainTextHash(text string) uint64 {
	b, err := format.AppendUTF(nil, text)
	if err != nil {
		panic(err)
	}
	return hashBytes(b[format.UTFHeadSize:])
}

// point returns the sign of a point. Ids that the trace does not describe stand for themselves.
func (s *plainSigner) point(c *format.Context, p *format.Point) sign {
	g := sign{key: s.key(c, p.Class, p.Ref)}
	h := uint64(p.Class)
	switch p.Class {
	case format.ClassCall:
		h = s.values(s.value(h, c, &p.Target), c, p.Args)
	case format.ClassFieldRead, format.ClassFieldWrite:
		h = s.value(s.value(h, c, &p.Target), c, &p.Value)
	case format.ClassArrayRead, format.ClassArrayWrite:
		h = s.value(mix(s.value(h, c, &p.Target), uint64(p.Number)), c, &p.Value)
	case format.ClassVariableRead, format.ClassVariableWrite, format.ClassThrow, format.ClassCatch:
		h = s.value(h, c, &p.Value)
	case format.ClassSnapshot:
		if p.Snapshot != nil {
			h = s.values(h, c, p.Snapshot.Watches)
		}
	}
	g.value = scatter(h)
	return g
}

// footer returns the hash of a container's end: the result of a call or the class of what it threw. A
// container that has not ended, as far as is known, has f nil or any; its hash is that of a call whose
// recorder says that it did not end.
func (s *plainSigner) footer(c *format.Context, class format.Class, f *format.Footer, st lazy.State) uint64 {
	switch open := st != lazy.StateWhole || f == nil; {
	case class != format.ClassCall && open:
		return endsOpen
	case class != format.ClassCall:
		return endsWhole
	case open:
		return scatter(s.value(returns, c, &format.Value{Kind: format.ValueUnfinished}))
	case f.Threw || f.Exception != "":
		return scatter(mix(throws, plainTextHash(f.Exception)))
	}
	return scatter(s.value(returns, c, &f.Result))
}

func (s *plainSigner) values(h uint64, c *format.Context, list []format.Value) uint64 {
	h = mix(h, uint64(len(list)))
	for i := range list {
		h = s.value(h, c, &list[i])
	}
	return h
}

// plainGoroutine is a goroutine with its number, as a go statement has it as its result.
var plainGoroutine = regexp.MustCompile(`^(≈ )?goroutine \d*$`)

// value adds a value to a hash: of an object its class, of an array its length too. What was captured of an object does
// not count, unless it is a struct that was recorded by its value; nor does an exception but for its message.
func (s *plainSigner) value(h uint64, c *format.Context, x *format.Value) uint64 {
	switch kind := x.Kind; kind {
	case format.ValueObject, format.ValueException:
		h = s.object(mix(h, uint64(format.ValueObject)), c, x)
		switch in := x.Captured; {
		case kind == format.ValueException && in != nil && in.Message != nil:
			return mix(mix(h, objectMessage), plainTextHash(*in.Message))
		case x.ByValue():
			h = mix(mix(h, objectFields), uint64(len(in.Fields)))
			for i := range in.Fields {
				h = s.value(mix(h, plainTextHash(in.Fields[i].Name)), c, &in.Fields[i].Value)
			}
			return h
		}
		return mix(h, objectBare)
	case format.ValueArray:
		return mix(s.object(mix(h, uint64(kind)), c, x), uint64(x.Length()))
	case format.ValueByte, format.ValueShort, format.ValueInt, format.ValueLong:
		return mix(mix(h, uint64(format.ValueLong)), uint64(x.Bits))
	case format.ValueFloat, format.ValueDouble, format.ValueChar, format.ValueBoolean:
		return mix(mix(h, uint64(kind)), uint64(x.Bits))
	case format.ValueSequence:
		return mix(s.object(mix(h, uint64(kind)), c, x), plainTextHash(x.Text))
	case format.ValueEnum:
		h = mix(mix(h, uint64(kind)), s.class(c, x.ClassID))
		if x.Absent {
			return mix(h, 0)
		}
		return mix(mix(h, 1), plainTextHash(x.Text))
	case format.ValueNull, format.ValueVoid, format.ValueUnit, format.ValueUnfinished, format.ValueUntracked:
		return mix(h, uint64(kind))
	case format.ValueRawString, format.ValueBigDecimal:
		return mix(mix(h, uint64(kind)), plainTextHash(plainGoroutine.ReplaceAllString(x.Text, "goroutine")))
	default:
		return mix(mix(h, uint64(kind)), plainTextHash(x.Text))
	}
}

// object adds the class of an object, and which one it is if that counts.
func (s *plainSigner) object(h uint64, c *format.Context, x *format.Value) uint64 {
	class := s.class(c, x.ClassID)
	if s.ids == nil && s.note == nil {
		return mix(h, class)
	}
	hash := x.Hash()
	if hash == 0 || format.InDoubt(c, hash) { // it has no identity, or it is not known
		return mix(h, class)
	}
	id := mix(class, uint64(uint32(hash)))
	if s.note != nil {
		s.note(id)
	}
	if s.ids != nil {
		h = mix(h, uint64(s.ids.numbers[id]))
	}
	return mix(h, class)
}
