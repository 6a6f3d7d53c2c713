package format

import (
	"fmt"
	"slices"
)

// Translator translates the objects of a trace from one version to another. What both versions
// can represent is translated exactly, and translating it back yields the same bytes. Where the
// other version knows more, or cannot represent something, a rule decides, and the Translator
// counts it: see [Change], and docs/versions.md.
//
// A Translator must be used by only one goroutine at a time.
type Translator struct {
	// NewClass returns the id for a class descriptor that has to be added to the trace: an id that
	// nothing in the trace refers to. If NewClass is nil, the id is above all that Known saw.
	NewClass func() (int32, error)

	from, to Version
	known    *Survey
	made     [changeCount]int64
	owed     *ClassDescriptor
	err      error // of NewClass
	point    Point
	footer   Footer
}

// NewTranslator returns a Translator. known is the survey of the whole trace, nil if there is
// none; additions to it take effect immediately. NewTranslator fails for versions that cannot
// be read or written.
func NewTranslator(from, to Version, known *Survey) (*Translator, error) {
	if !from.Known() || !to.Writable() {
		return nil, fmt.Errorf("cannot convert format version %d to %d", from, to)
	}
	if known == nil {
		known = NewSurvey(from)
	}
	return &Translator{from: from, to: to, known: known}, nil
}

// To returns the version that the Translator writes.
func (t *Translator) To() Version { return t.to }

// Changes returns how often each inexact change was made.
func (t *Translator) Changes() map[Change]int64 {
	made := make(map[Change]int64)
	for c, n := range t.made {
		if n > 0 {
			made[Change(c)] = n
		}
	}
	return made
}

func (t *Translator) count(c Change) { t.made[c]++ }

// Owed returns, once, a class descriptor that must be written before the object translated
// last, or nil if there is none.
func (t *Translator) Owed() *ClassDescriptor {
	d := t.owed
	t.owed = nil
	return d
}

// Object appends the translation of the object at the start of b: a trace point, a footer of a
// container of class open, or a reference object. Block borders and EOF are the same in all versions.
func (t *Translator) Object(dst, b []byte, open Class) ([]byte, error) {
	if t.from == t.to || len(b) == 0 {
		return append(dst, b...), nil
	}
	switch Kind(b[0]) {
	case KindTracePoint:
		if _, err := t.from.DecodePoint(b, &t.point); err != nil {
			return dst, err
		}
		if err := t.Point(&t.point); err != nil {
			return dst, err
		}
		return t.point.Append(dst, t.to)
	case KindFooter:
		if _, err := t.from.DecodeFooter(b, open, &t.footer); err != nil {
			return dst, err
		}
		if err := t.Footer(&t.footer, open); err != nil {
			return dst, err
		}
		return t.footer.Append(dst, t.to, open)
	case KindCodeLocation:
		c := decoder{reader{b: b, i: referenceIDAt, v: t.from}}
		l := c.codeLocation()
		if c.err != nil {
			return dst, c.err
		}
		t.Location(&l)
		return l.Append(dst, t.to)
	case KindFieldDescriptor:
		c := decoder{reader{b: b, i: referenceIDAt, v: t.from}}
		d := c.field()
		if c.err != nil {
			return dst, c.err
		}
		if t.from == V19 {
			t.count(ChangeOld)
		}
		return d.Append(dst, t.to)
	}
	if Kind(b[0]).Reference() { // no object if no reader accepts it
		if _, _, err := NewContext(t.from).Add(b); err != nil {
			return dst, err
		}
	}
	return append(dst, b...), nil // the same in all versions
}

// Point translates a trace point. It changes captured values in place.
func (t *Translator) Point(p *Point) error {
	if t.from == t.to {
		return nil
	}
	switch p.Class {
	case ClassThrow, ClassCatch:
		t.thrown(&p.Value)
	case ClassSnapshot:
		t.snapshot(p.Snapshot)
	case ClassCall:
		t.call(p)
	case ClassLoop, ClassIteration:
		t.subtree(p)
	case ClassVariableRead, ClassVariableWrite:
		t.value(&p.Value)
	default:
		t.value(&p.Target)
		t.value(&p.Value)
	}
	return t.failed()
}

// failed returns the error of NewClass.
func (t *Translator) failed() error {
	err := t.err
	t.err = nil
	return err
}

func (t *Translator) call(p *Point) {
	t.subtree(p)
	t.value(&p.Target)
	t.values(p.Args)
	// The flags stay: version 22 ignores FlagSuper.
}

// subtree translates the diff statuses of a container.
func (t *Translator) subtree(p *Point) {
	switch {
	case t.alike():
	case t.to < V27:
		if p.Marked && len(p.Subtree) == 0 {
			t.count(ChangeStatuses)
		}
		p.Marked = len(p.Subtree) > 0
	case len(p.Subtree) > maxStatuses27:
		t.count(ChangeStatuses)
		p.Subtree = distinct(p.Subtree)
	}
}

// distinct returns the distinct statuses, ascending. It reuses list.
func distinct(list []DiffStatus) []DiffStatus {
	var there [DiffEditedNew - DiffNone + 1]bool
	for _, d := range list {
		there[d-DiffNone] = true
	}
	list = list[:0]
	for i, is := range there {
		if is {
			list = append(list, DiffStatus(i)+DiffNone)
		}
	}
	return list
}

func (t *Translator) snapshot(s *Snapshot) {
	if t.from == V19 {
		t.count(ChangeOld)
	}
	t.values(s.Locals)
	if t.to < V27 {
		t.made[ChangeWatch] += int64(len(s.Watches))
		s.Watches = nil
	}
}

// Footer translates a footer of a container of this class.
func (t *Translator) Footer(f *Footer, class Class) error {
	if t.from == t.to || class != ClassCall {
		return nil
	}
	switch {
	case t.alike():
	case t.to >= V27:
		t.footer27(f)
	default:
		t.footer22(f)
	}
	return t.failed()
}

// Location translates a code location.
func (t *Translator) Location(l *CodeLocation) {
	if t.from == t.to {
		return
	}
	if t.from == V19 {
		t.count(ChangeOld)
	}
	was, had := l.Kind, l.Loops
	if was == LocationLoop {
		l.Kind = LocationLine
	}
	l.Loops = nil
	kind, loops := l.Kind, t.known.headerLoops(l)
	if kind == LocationLine && len(loops) > 0 {
		kind = LocationLoop
	}
	switch {
	case t.to >= V27 && kind == LocationLoop:
		t.count(ChangeLoops)
		l.Kind, l.Loops = kind, slices.Clone(loops)
	case !t.alike() && t.to < V27 && (kind != was || !slices.Equal(loops, had)): // translating back would give something else
		t.count(ChangeLoopLocation)
	}
}

func (t *Translator) values(list []Value) {
	for i := range list {
		t.value(&list[i])
	}
}

// value translates a value that is neither a result nor a thrown exception.
func (t *Translator) value(v *Value) {
	switch {
	case t.alike():
	case t.to >= V27:
		t.value27(v)
	default:
		t.value22(v)
	}
}

// alike reports whether both versions have the same values: 19 has those of 22.
func (t *Translator) alike() bool { return t.from < V27 && t.to < V27 }

// thrown translates the value of a throw or a catch. It is always an exception, whatever the
// name of its class.
func (t *Translator) thrown(v *Value) {
	switch {
	case t.alike():
	case t.to >= V27 && v.Kind == ValueObject && v.Captured == nil:
		v.Kind = ValueException
	case t.to >= V27:
		t.value27(v)
	case v.Kind == ValueException && v.ClassID >= 0:
		t.exception22(v)
	default:
		if v.Kind == ValueObject && v.Captured == nil && v.ClassID >= 0 {
			t.count(ChangeThrownObject)
		}
		t.inner22(v)
	}
}

// captured translates the captured contents of an object or an array.
func (t *Translator) captured(in *Captured) {
	t.values(in.Elements)
	for i := range in.Fields {
		t.value(&in.Fields[i].Value)
	}
}

// fit cuts a text that is too long for a utf.
func (t *Translator) fit(s string) string {
	if len(s) <= maxUTF/3 { // no character takes more than three times its bytes
		return s
	}
	if modifiedSize(s) <= maxUTF {
		return s
	}
	t.count(ChangeCut)
	return cutModified(s, maxUTF)
}
