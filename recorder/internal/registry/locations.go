package registry

import "tracex/format"

// Path registers an access path. It returns None if a part of it is not registered.
func (n *Names) Path(p format.AccessPath) int32 {
	for i := range p.Steps {
		if !n.knows(&p.Steps[i]) {
			return None
		}
	}
	key, err := p.Append(nil, n.version)
	if err != nil {
		return None
	}
	return n.intern(format.KindAccessPath, "", len(key), pathKey(key), func(dst []byte, id int32) ([]byte, error) {
		p.ID = id
		return p.Append(dst, n.version)
	})
}

// knows reports whether what a part of a path names is registered. It changes the part if the
// field is static: Lincheck's reader throws if the two are confused.
func (n *Names) knows(s *format.AccessStep) bool {
	has := func(kind format.Kind) bool { return s.Ref >= 0 && s.Ref < n.counts[kind] }
	switch s.Kind {
	case format.AccessVariable:
		return has(format.KindVariableDescriptor)
	case format.AccessObjectField:
		if has(format.KindFieldDescriptor) && n.static[s.Ref] {
			s.Kind = format.AccessStaticField
		}
		return has(format.KindFieldDescriptor)
	case format.AccessNamedElement:
		return has(format.KindAccessPath)
	}
	return s.Kind == format.AccessElement
}

type Location struct {
	File, Class, Method string // "" if unknown
	Line                int32
	Loop                bool    // the header of a loop
	Path                int32   // how the source names what is there; None if unknown
	Args                []int32 // the same of a call's arguments
}

func (n *Names) Location(at Location) int32 {
	text := func(s string) int32 {
		if s == "" {
			return None
		}
		return n.text(s)
	}
	l := format.CodeLocation{Kind: format.LocationLine, File: text(at.File), Class: text(at.Class), Method: text(at.Method),
		Line: at.Line, Path: at.Path, ArgNames: at.Args}
	if at.Path != None {
		l.Kind = format.LocationAccess
	}
	if len(at.Args) > 0 {
		l.Kind = format.LocationCall
	}
	if at.Loop && n.version.HasLocation(format.LocationLoop) {
		l.Kind = format.LocationLoop
	}
	key, err := l.Append(nil, n.version)
	if err != nil || n.short > 0 {
		return None
	}
	return n.intern(format.KindCodeLocation, "", len(key), locationKey(key), func(dst []byte, id int32) ([]byte, error) {
		if l.ID = id; l.Kind == format.LocationLoop {
			l.Loops = []int32{LoopAt(id)}
		}
		return l.Append(dst, n.version)
	})
}

// LoopAt returns the id of the loop at a location, which is never negative.
func LoopAt(location int32) int32 { return location + 1 }
