package walk

import (
	"hash/fnv"
	"math"
	"slices"

	"tracex/format"
	"tracex/lazy/internal/summary"
)

// unitVisitor finds out what is in a unit of a summary. In a raw pass it takes all points, in a
// folded one those that folding put in place of others.
type unitVisitor struct {
	folded  bool
	version format.Version
	unit    summary.Unit
	sets    [summary.SetCount]idSet
	objects keySet
	cursor  format.ValueCursor
	classes []uint64 // hashes of the names of classes + 1, by id; 0 if not known yet
	begun   int      // containers around the current part that are still open
	threads int      // parts of threads visited
	thread  int32    // the last one
}

// SetOf returns the set for the Ref of a class of points; ok is false if there is none.
func SetOf(class format.Class) (set int, ok bool) {
	switch class {
	case format.ClassCall:
		return summary.Methods, true
	case format.ClassFieldRead:
		return summary.FieldReads, true
	case format.ClassFieldWrite:
		return summary.FieldWrites, true
	case format.ClassVariableRead:
		return summary.VariableReads, true
	case format.ClassVariableWrite:
		return summary.VariableSets, true
	}
	return 0, false
}

// Begin is for the pass.
func (v *unitVisitor) Begin(thread int32, around []PassFrame) {
	v.threads++
	v.thread, v.begun = thread, len(around)
	for i := range around {
		if f := &around[i]; f.Class == format.ClassCall {
			v.sets[summary.Around].add(f.Ref)
		}
	}
}

// Begins and Ended are for the pass; see segmentVisitor.
func (v *unitVisitor) Begins(int32, int64) {}

// Ended: containers that go on after the part end elsewhere.
func (v *unitVisitor) Ended(x *PassWalk) {
	x.around(v.begun, v.lasts)
}

// lasts notes how long a container takes.
func (v *unitVisitor) lasts(p *PassPoint) {
	if t, ok := p.Time(); ok {
		v.unit.Longest = max(v.unit.Longest, t.Duration)
	}
}

// Enter is for the pass.
func (v *unitVisitor) Enter(p *PassPoint) {
	v.point(p)
	if v.folded && p.data != nil {
		v.lasts(p)
	}
}

// Leaf is for the pass.
func (v *unitVisitor) Leaf(p *PassPoint) { v.point(p) }

func (v *unitVisitor) point(p *PassPoint) {
	if v.folded && p.data == nil {
		return
	}
	u := &v.unit
	u.Classes |= 1 << p.Class
	if set, ok := SetOf(p.Class); ok {
		v.sets[set].add(p.Ref)
	}
	if v.folded {
		v.all(p)
		return
	}
	if u.Points++; p.Class == format.ClassCall {
		u.Calls++
	}
	if u.Points == 1 {
		u.First, u.Last = p.Event, p.Event
	}
	u.First, u.Last = min(u.First, p.Event), max(u.Last, p.Event)
	v.values(p)
}

// values takes the objects of a point.
func (v *unitVisitor) values(p *PassPoint) {
	within := false
	c := &v.cursor
	for c.Start(v.version, p.Bytes(), p.Class); c.Next(); {
		v.object(p, c.Kind, c.ClassID, int32(c.Bits))
		within = within || c.Within
	}
	v.objects.any = v.objects.any || c.Failed
	if within {
		v.all(p)
	}
}

// all takes the objects that were captured inside the values of a point.
func (v *unitVisitor) all(p *PassPoint) {
	if point, err := p.Point(); err == nil { // the pass gets the error too
		v.within(p, &point.Target)
		v.within(p, &point.Value)
		for i := range point.Args {
			v.within(p, &point.Args[i])
		}
	}
}

// within takes the objects that were captured inside a value.
func (v *unitVisitor) within(p *PassPoint, x *format.Value) {
	if x.Captured == nil {
		return
	}
	v.sets[summary.Inside].add(x.ClassID)
	take := func(x *format.Value) {
		v.object(p, x.Kind, x.ClassID, x.Hash())
		v.within(p, x)
	}
	for i := range x.Captured.Fields {
		take(&x.Captured.Fields[i].Value)
	}
	for i := range x.Captured.Elements {
		take(&x.Captured.Elements[i])
	}
}

// object takes an object, if the value is one.
func (v *unitVisitor) object(p *PassPoint, kind format.ValueKind, class, identity int32) {
	if key, ok := v.key(p.Context(), kind, class, identity); ok {
		v.objects.add(key)
	}
}

// key returns the key of an object; ok is false if the value is none that has an identity.
func (v *unitVisitor) key(c *format.Context, kind format.ValueKind, class, identity int32) (key uint64, ok bool) {
	switch kind {
	case format.ValueBuilder:
		return summary.Key(builderClass, identity), true
	case format.ValueObject, format.ValueArray, format.ValueException, format.ValueSequence:
	default:
		return 0, false
	}
	if uint(class) < uint(len(v.classes)) {
		if h := v.classes[class]; h != 0 {
			return summary.Key(h, identity), true
		}
	}
	h, ok := classHash(c, class)
	if !ok {
		v.objects.any = true
		return 0, false
	}
	if class >= 0 && class < maxTable {
		for int(class) >= len(v.classes) {
			v.classes = append(v.classes, make([]uint64, max(64, len(v.classes)))...)
		}
		v.classes[class] = h
	}
	return summary.Key(h, identity), true
}

// builderClass stands for the class of string builders, whose values have none.
const builderClass = 1

// classHash returns the hash of a class's name; ok is false if the class is not known.
func classHash(c *format.Context, class int32) (h uint64, ok bool) {
	d := c.Class(class)
	if d == nil {
		return 0, false
	}
	f := fnv.New64a()
	f.Write([]byte(d.Name))
	return f.Sum64() | 1<<63, true
}

// Exit is for the pass.
func (v *unitVisitor) Exit(p *PassPoint) {
	if v.folded {
		if p.Class == format.ClassCall { // it may end in another unit: before what is not shown of it
			v.threw(p)
		}
		return
	}
	if p.Depth < v.begun {
		v.begun = p.Depth
	} else {
		v.lasts(p)
	}
	if p.Class != format.ClassCall {
		return
	}
	b := p.FromEnding()
	if b == nil {
		return // it never ended
	}
	var f format.PartialFooter
	if !v.version.PartialFooter(b, &f) {
		v.objects.any = true
	} else {
		v.object(p, f.Result.Kind, f.Result.ClassID, int32(f.Result.Bits))
	}
	if f.Result.Within {
		if foot, err := p.Footer(); err == nil && foot != nil {
			v.within(p, &foot.Result)
		}
	}
	if f.Threw {
		v.unit.Throws++
	}
}

// threw counts a call if it ended by an exception.
func (v *unitVisitor) threw(p *PassPoint) {
	if threw, _ := p.Threw(); threw { // the pass gets the error too
		v.unit.Throws++
	}
}

// record appends the unit to dst, with what the folded view has besides; extra may be nil.
func (v *unitVisitor) record(dst []byte, extra *summary.Unit) []byte {
	if extra != nil {
		v.unit.Classes |= extra.Classes
		v.unit.Throws = max(v.unit.Throws, extra.Throws)
		v.unit.Longest = max(v.unit.Longest, extra.Longest)
		for i, ids := range extra.Sets {
			for _, id := range ids {
				v.sets[i].add(id)
			}
		}
	}
	for i := range v.sets {
		v.unit.Sets[i] = v.sets[i].ids
	}
	return v.unit.Append(dst, v.objects.keys, v.objects.any)
}

// extra returns a copy of what there is; nil for nothing.
func (v *unitVisitor) extra() *summary.Unit {
	if v.unit.Classes == 0 && v.unit.Throws == 0 && len(v.sets[summary.Around].ids) == 0 { // a point comes with its class
		return nil
	}
	u := &summary.Unit{Classes: v.unit.Classes, Throws: v.unit.Throws, Longest: v.unit.Longest}
	for i := range v.sets {
		u.Sets[i] = slices.Clone(v.sets[i].ids)
	}
	return u
}

// clear makes the visitor ready for another unit.
func (v *unitVisitor) clear() {
	for i := range v.sets {
		v.sets[i].clear()
	}
	v.objects.clear()
	v.unit = summary.Unit{Longest: -1}
	v.threads = 0
}

// idSet is a set of ids.
type idSet struct {
	ids    []int32
	marks  []uint32 // by id: round when it was added last
	round  uint32
	sparse map[int32]bool
}

func (s *idSet) add(id int32) {
	if uint32(id) < uint32(len(s.marks)) {
		if s.marks[id] != s.round {
			s.marks[id] = s.round
			s.ids = append(s.ids, id)
		}
		return
	}
	if id >= 0 && id < maxTable {
		for int(id) >= len(s.marks) {
			s.marks = append(s.marks, make([]uint32, max(64, len(s.marks)))...)
		}
		s.marks[id] = s.round
		s.ids = append(s.ids, id)
		return
	}
	if !s.sparse[id] {
		if s.sparse == nil {
			s.sparse = make(map[int32]bool)
		}
		s.sparse[id] = true
		s.ids = append(s.ids, id)
	}
}

func (s *idSet) clear() {
	s.ids = s.ids[:0]
	clear(s.sparse)
	if s.round++; s.round == math.MaxUint32 {
		clear(s.marks)
		s.round = 1
	}
}

// keySet is a set of keys, up to mostKeys.
type keySet struct {
	table []uint64 // open addressing; 0 for none
	keys  []uint64
	any   bool // keys are missing
}

const mostKeys = 1 << 15

func (s *keySet) add(key uint64) {
	if s.any {
		return
	}
	if s.table == nil {
		s.table = make([]uint64, 2*mostKeys)
	}
	for i := key >> 20; ; i++ {
		at := &s.table[i%uint64(len(s.table))]
		switch *at {
		case key:
			return
		case 0:
			if len(s.keys) == mostKeys {
				s.any = true
				return
			}
			*at = key
			s.keys = append(s.keys, key)
			return
		}
	}
}

func (s *keySet) clear() {
	if len(s.keys) > 0 {
		clear(s.table)
	}
	s.keys, s.any = s.keys[:0], false
}
