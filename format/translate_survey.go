package format

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Survey is what a [Translator] must know about a whole trace: its classes, which of them are
// exceptions, and where loops begin. Fill it before translating anything: an object may be
// described after its use.
type Survey struct {
	version   Version
	classes   table[*surveyedClass]
	locations table[*surveyedLocation]
	builders  []int32 // classes named java.lang.StringBuilder
	most      int32   // the largest id of a class, -1 if none
}

// surveyedClass is the knowledge about a class.
type surveyedClass struct {
	name      string
	described bool
	thrown    bool // objects of it were thrown, or caught
	throwable bool // thrown, or named like an exception
}

// surveyedLocation is the knowledge about a code location: the trace points there.
type surveyedLocation struct {
	loops []int32 // of loops and iterations, ascending
	last  int32   // the last loop seen
	other bool    // other trace points
}

// maxHeaderLoops bounds the loops at one location, far above what a compiler generates for one.
const maxHeaderLoops = 256

// NewSurvey returns an empty Survey of a trace of this version.
func NewSurvey(v Version) *Survey { return &Survey{version: v, most: -1} }

// Object notes the object at the start of b, which must be whole, as from a [Scanner].
func (s *Survey) Object(b []byte) error {
	switch Kind(b[0]) {
	case KindClassDescriptor:
		c := decoder{reader{b: b, i: referenceIDAt, v: s.version}}
		d := c.class()
		if c.err == nil {
			s.class(d.ID, d.Name)
		}
		return c.error()
	case KindTracePoint:
		class, _ := s.version.PointClass(b[PointClassAt])
		s.noteLocation(class, b)
		if class != ClassThrow && class != ClassCatch {
			return nil
		}
		c := decoder{reader{b: b, i: ThrownAt, v: s.version}}
		var v Value
		if c.value(&v, 0); c.err == nil && isThrown(&v) {
			e := s.classData(v.ClassID)
			e.thrown, e.throwable = true, true
		}
		return c.error()
	}
	return nil
}

// noteLocation notes the code location of a trace point.
func (s *Survey) noteLocation(class Class, b []byte) {
	at := LocationOf(b)
	if at < 0 {
		return
	}
	p := s.locations.get(at)
	if p == nil {
		p = new(surveyedLocation)
		s.locations.put(at, p)
	}
	if class != ClassLoop && class != ClassIteration {
		p.other = true
		return
	}
	loop := int32(binary.BigEndian.Uint32(b[LoopIDAt+s.version.StatusCount(b[StatusCountAt]):]))
	if loop == p.last && len(p.loops) > 0 { // as in consecutive iterations
		return
	}
	p.last = loop
	if i, found := slices.BinarySearch(p.loops, loop); !found && len(p.loops) <= maxHeaderLoops {
		p.loops = slices.Insert(p.loops, i, loop)
	}
}

// headerLoops returns the loops whose header is at a code location, ascending. There are some
// only if it is a plain line with loops and no other trace points.
func (s *Survey) headerLoops(l *CodeLocation) []int32 {
	p := s.locations.get(l.ID)
	if l.Kind != LocationLine || p == nil || p.other || len(p.loops) > maxHeaderLoops || l.Path != -1 || len(l.ArgNames) > 0 {
		return nil
	}
	return p.loops
}

// Uses notes the ids of classes in the trace point, footer or reference object at the start of
// b, so that Free returns none of them. Objects passed to Object need not be passed again.
func (s *Survey) Uses(b []byte, open Class) error {
	switch Kind(b[0]) {
	case KindTracePoint:
		var p Point
		_, err := s.version.DecodePoint(b, &p)
		s.uses(&p.Target)
		s.uses(&p.Value)
		s.usesAll(p.Args)
		if p.Snapshot != nil {
			s.usesAll(p.Snapshot.Locals)
			s.usesAll(p.Snapshot.Watches)
		}
		return err
	case KindFooter:
		var f Footer
		_, err := s.version.DecodeFooter(b, open, &f)
		s.uses(&f.Result)
		return err
	case KindMethodDescriptor, KindFieldDescriptor:
		c := reader{b: b, i: referenceIDAt + IDSize, v: s.version}
		s.most = max(s.most, c.i32())
		return c.error()
	}
	return nil
}

// isThrown reports whether the value of a throw or a catch shows that its class is an
// exception. The answer is the same in all versions that the trace is translated to: an object
// with captured contents stays what it is.
func isThrown(v *Value) bool {
	return v.Kind == ValueException || v.Kind == ValueObject && (v.Captured == nil || len(v.Captured.Fields) == 0)
}

func (s *Survey) usesAll(list []Value) {
	for i := range list {
		s.uses(&list[i])
	}
}

func (s *Survey) uses(v *Value) {
	s.most = max(s.most, v.ClassID)
	if in := v.Captured; in != nil {
		s.usesAll(in.Elements)
		for i := range in.Fields {
			s.uses(&in.Fields[i].Value)
		}
	}
}

// errNoClassID: no id is left for a class.
var errNoClassID = errors.New("no id is left for the class " + builderClass)

// Free returns an id above those of all known classes.
func (s *Survey) Free() (int32, error) {
	if s.most == math.MaxInt32 {
		return 0, errNoClassID
	}
	return s.most + 1, nil
}

// classData returns what is known of a class. Callers may change it.
func (s *Survey) classData(id int32) *surveyedClass {
	e := s.classes.get(id)
	if e == nil {
		e = new(surveyedClass)
		s.classes.put(id, e)
		s.most = max(s.most, id)
	}
	return e
}

// class notes a descriptor. The first one of an id counts, as in a [Context].
func (s *Survey) class(id int32, name string) {
	e := s.classData(id)
	if e.described {
		return
	}
	e.described, e.name = true, name
	e.throwable = e.throwable || likeException(name)
	if name == builderClass {
		s.builders = append(s.builders, id)
	}
}

// likeException reports whether a class is named like an exception.
func likeException(name string) bool {
	return strings.HasSuffix(name, "Exception") || strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Throwable")
}

// builder returns the class of string builders, the first one if there are several.
func (s *Survey) builder() (id int32, ok bool) {
	if len(s.builders) == 0 {
		return 0, false
	}
	return s.builders[0], true
}

func (s *Survey) throwable(id int32) bool {
	e := s.classes.get(id)
	return e != nil && e.throwable
}

func (s *Survey) thrown(id int32) bool {
	e := s.classes.get(id)
	return e != nil && e.thrown
}

// name returns the name of a class, or, if it has no descriptor, the text printed instead.
func (s *Survey) name(id int32) string {
	if e := s.classes.get(id); e != nil && e.described {
		return e.name
	}
	return fmt.Sprintf("<class %d>", id)
}
