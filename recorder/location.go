package recorder

import (
	"runtime"
	"strings"

	"tracex/format"
)

// Place is a location in the source.
type Place struct {
	File   string
	Class  string
	Method string
	Line   int
	// Path is how the source names what is called, read or written there.
	Path Path
	// Args are the names of the arguments of a call: all of them, or none.
	Args []Path
	// Loop says that it is the header of a loop, for [Thread.Loop] and [Thread.Iteration].
	// Version 27 of the format records that. Such a location has neither Path nor Args.
	Loop bool
}

// Step is a step of a [Path], made by the functions below.
type Step struct {
	kind   format.AccessKind
	number int64 // of the variable, field or path that it names
	index  int32
}

// Local begins a path with a local variable.
func Local(v Variable) Step {
	return Step{kind: format.AccessVariable, number: int64(v)}
}

// Member continues to a field of an object, or begins a path with a package variable.
func Member(f Field) Step {
	return Step{kind: format.AccessObjectField, number: int64(f)}
}

// Element continues to the element with an index.
func Element(i int32) Step { return Step{kind: format.AccessElement, index: i} }

// ElementBy continues to the element whose index has a name.
func ElementBy(index Path) Step {
	return Step{kind: format.AccessNamedElement, number: int64(index)}
}

// Path registers how the source names a value. If a step means nothing, the result is no path.
func (r *Recorder) Path(steps ...Step) Path {
	if !r.on() {
		return 0
	}
	p := format.AccessPath{}
	for _, s := range steps {
		step := format.AccessStep{Kind: s.kind, Ref: s.index}
		if s.kind != format.AccessElement {
			step.Ref = r.known(s.number)
		}
		p.Steps = append(p.Steps, step)
	}
	return Path(r.register(func(g *registry) int32 { return g.path(p) }))
}

func (g *registry) path(p format.AccessPath) int32 {
	for i := range p.Steps {
		if !g.known(&p.Steps[i]) {
			return unknownID
		}
	}
	key, err := p.Append(nil, g.version)
	if err != nil {
		return unknownID
	}
	return g.intern(format.KindAccessPath, "", len(key), pathKey(key), func(dst []byte, id int32) ([]byte, error) {
		p.ID = id
		return p.Append(dst, g.version)
	})
}

// known reports whether what a step names is registered. It changes the step if the field is
// static: Lincheck's reader throws if the two are confused.
func (g *registry) known(s *format.AccessStep) bool {
	has := func(kind format.Kind) bool { return s.Ref >= 0 && s.Ref < g.counts[kind] }
	switch s.Kind {
	case format.AccessVariable:
		return has(format.KindVariableDescriptor)
	case format.AccessObjectField:
		if has(format.KindFieldDescriptor) && g.static[s.Ref] {
			s.Kind = format.AccessStaticField
		}
		return has(format.KindFieldDescriptor)
	case format.AccessNamedElement:
		return has(format.KindAccessPath)
	}
	return s.Kind == format.AccessElement
}

// Location registers a location in the source.
func (r *Recorder) Location(p Place) Location {
	if !r.on() {
		return 0
	}
	if p.Loop {
		p.Path, p.Args = 0, nil
	}
	path := r.knownPlace(int64(p.Path))
	var names []int32
	for _, a := range p.Args {
		names = append(names, r.knownPlace(int64(a)))
	}
	return Location(r.register(func(g *registry) int32 { return g.location(p, path, names) }))
}

// location interns a location with the ids of its path and of its arguments' names.
func (g *registry) location(p Place, path int32, names []int32) int32 {
	text := func(s string) int32 {
		if s == "" {
			return -1
		}
		return g.text(s)
	}
	l := format.CodeLocation{Kind: format.LocationLine, File: text(p.File), Class: text(p.Class), Method: text(p.Method),
		Line: int32(p.Line), Path: path, ArgNames: names}
	if path != unknownID {
		l.Kind = format.LocationAccess
	}
	if len(names) > 0 {
		l.Kind = format.LocationCall
	}
	if p.Loop && g.version >= format.V27 {
		l.Kind = format.LocationLoop
	}
	key, err := l.Append(nil, g.version)
	if err != nil || g.short > 0 {
		return unknownID
	}
	return g.intern(format.KindCodeLocation, "", len(key), locationKey(key), func(dst []byte, id int32) ([]byte, error) {
		if l.ID = id; l.Kind == format.LocationLoop {
			l.Loops = []int32{loopAt(id)}
		}
		return l.Append(dst, g.version)
	})
}

// Caller returns the source location of its caller, or, with skip, of that many calls further
// out. It is for code that runs once, such as a variable's initialization: it takes about a
// microsecond.
func (r *Recorder) Caller(skip int) Location {
	if !r.on() {
		return 0
	}
	var pcs [1]uintptr
	if runtime.Callers(skip+2, pcs[:]) == 0 {
		return 0
	}
	return r.At(pcs[0])
}

// At returns the source location of a return address, as [runtime.Callers] returns it. Results
// are cached.
func (r *Recorder) At(pc uintptr) Location {
	if !r.on() || pc == 0 {
		return 0
	}
	if l, ok := r.places.Load(pc); ok {
		return l.(Location)
	}
	frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	class, method := splitFunction(frame.Function)
	l := r.Location(Place{File: baseName(frame.File), Class: class, Method: method, Line: frame.Line})
	if r.reserve(entrySize) {
		r.places.Store(pc, l)
	}
	return l
}

func baseName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
