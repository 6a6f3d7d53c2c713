package recorder

import (
	"runtime"
	"strings"

	"tracex/format"
	"tracex/recorder/internal/gonames"
	"tracex/recorder/internal/registry"
)

// CodeLocation is a location in the source, for [Recorder.Location].
type CodeLocation struct {
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

// PathStep is a step of a [Path], made by the functions below.
type PathStep struct {
	kind   format.AccessKind
	number int64 // of the variable, field or path that it names
	index  int32
}

// Local begins a path with a local variable.
func Local(v Variable) PathStep {
	return PathStep{kind: format.AccessVariable, number: int64(v)}
}

// Member continues to a field of an object, or begins a path with a package variable.
func Member(f Field) PathStep {
	return PathStep{kind: format.AccessObjectField, number: int64(f)}
}

// Element continues to the element with an index.
func Element(i int32) PathStep { return PathStep{kind: format.AccessElement, index: i} }

// ElementBy continues to the element whose index has a name.
func ElementBy(index Path) PathStep {
	return PathStep{kind: format.AccessNamedElement, number: int64(index)}
}

// Path registers how the source names a value. If a step means nothing, the result is no path.
func (r *Recorder) Path(steps ...PathStep) Path {
	if !r.on() {
		return 0
	}
	p := format.AccessPath{}
	for _, s := range steps {
		ref := s.index
		if s.kind != format.AccessElement {
			ref = r.registry.ID(s.number)
		}
		p.Steps = append(p.Steps, format.AccessStep{Kind: s.kind, Ref: ref})
	}
	return Path(r.registry.Register(func(n *registry.Names) int32 { return n.Path(p) }))
}

// Location registers a location in the source.
func (r *Recorder) Location(p CodeLocation) Location {
	if !r.on() {
		return 0
	}
	if p.Loop {
		p.Path, p.Args = 0, nil
	}
	at := registry.Location{File: p.File, Class: p.Class, Method: p.Method, Line: int32(p.Line), Loop: p.Loop}
	at.Path = r.registry.IDOrNone(int64(p.Path))
	for _, a := range p.Args {
		at.Args = append(at.Args, r.registry.IDOrNone(int64(a)))
	}
	return Location(r.registry.Register(func(n *registry.Names) int32 { return n.Location(at) }))
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
// are cached. The class is the package with the name that its path tells, shop for
// example.com/shop/v2, and the type of a method. Packages of one name have the same there: classes
// of calls are the program's to name, and may be of any of them.
func (r *Recorder) At(pc uintptr) Location {
	if !r.on() || pc == 0 {
		return 0
	}
	if l, ok := r.locations.Load(pc); ok {
		return l.(Location)
	}
	frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	class, method := gonames.SplitFunction(frame.Function)
	l := r.Location(CodeLocation{File: baseName(frame.File), Class: class, Method: method, Line: frame.Line})
	if r.reserve(entrySize) {
		r.locations.Store(pc, l)
	}
	return l
}

func baseName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
