package instrumented

import (
	"debug/gosym"
	"encoding/binary"
	"strings"

	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/gonames"
)

// programNames are the names of functions in one program.
type programNames struct {
	packages *gonames.Namer
	main     string            // path of the main package, which the linker calls main; "" if unknown
	as       map[string]string // paths of others that the go command calls otherwise
}

// learn takes what a program says about its packages.
func (n *programNames) learn(ps *raw.Packages) {
	if !strings.HasSuffix(ps.Main, ".test") { // that of a test is generated
		n.main = ps.Main
	}
	for _, p := range ps.List {
		path := p.Path
		if p.As != "" {
			if n.as == nil {
				n.as = map[string]string{}
			}
			n.as[path] = p.As
			path = p.As
		}
		n.packages.Learn(path, p.Name)
	}
}

// of returns the name of a package. main says that it is that of a command.
func (n *programNames) of(path string, main bool) string {
	main = main || path == "main"
	if path == "main" && n.main != "" {
		path = n.main
	}
	if as := n.as[path]; as != "" {
		path = as
	}
	if main || path == n.main {
		return n.packages.Name(path, "main")
	}
	return n.packages.Name(path, gonames.PackageName(path))
}

// split splits the linker's name of a function into class and method, as gonames.SplitFunction does.
func (n *programNames) split(function string) (class, method string) {
	path, receiver, method := gonames.Split(function)
	if path == "" {
		return "", method
	}
	return gonames.Class(n.of(path, false), receiver), method
}

// symbols finds functions and lines by addresses in a program's code.
type symbols struct {
	table  *gosym.Table // nil: nothing is known
	places map[uint64]symbol
	names  programNames
}

// symbol is what is at an address.
type symbol struct {
	file          string // base name; "" if unknown
	line          int
	class, method string
	name          string // as the linker has it
}

// function returns the name of the function: main.Shop.Sell.
func (s *symbol) function() string {
	if s.class == "" {
		return s.method
	}
	return s.class + "." + s.method
}

const (
	pclnCountAt = 8 // of the number of functions in the table, after magic, quantum and pointer size
	pclnHead    = 16
)

// newSymbols reads a table of functions whose code begins at text.
func newSymbols(table []byte, text uint64, names *gonames.Namer) (s symbols, ok bool) {
	s.places, s.names = map[uint64]symbol{}, programNames{packages: names}
	if len(table) < pclnHead {
		return s, len(table) == 0
	}
	count := binary.LittleEndian.Uint64(table[pclnCountAt:])
	if count > uint64(len(table))/pclnCountAt {
		return s, false // memory would be allocated for each
	}
	defer func() {
		if recover() != nil {
			s.table, ok = nil, false
		}
	}()
	t, err := gosym.NewTable(nil, gosym.NewLineTable(table, text))
	if err != nil || len(t.Funcs) == 0 {
		return s, false
	}
	s.table = t
	return s, true
}

// at returns what is at an address.
func (s *symbols) at(pc uint64) symbol {
	if found, ok := s.places[pc]; ok || s.table == nil {
		return found
	}
	found := s.look(pc)
	s.places[pc] = found
	return found
}

func (s *symbols) look(pc uint64) (found symbol) {
	defer func() {
		if recover() != nil {
			found = symbol{}
		}
	}()
	file, line, f := s.table.PCToLine(pc)
	if f == nil {
		return symbol{}
	}
	found = symbol{file: baseName(file), line: line, name: withoutArguments(f.Name)}
	found.class, found.method = s.names.split(found.name)
	return found
}

// withoutArguments removes type arguments from a name of the runtime: those of a type, of a function,
// and since Go 1.27 of a method.
func withoutArguments(name string) string {
	if strings.IndexByte(name, '[') < 0 {
		return name
	}
	var out strings.Builder
	depth := 0
	for i := range len(name) {
		switch c := name[i]; {
		case c == '[':
			depth++
		case c == ']' && depth > 0:
			depth--
		case depth == 0:
			out.WriteByte(c)
		}
	}
	return out.String()
}

func baseName(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }
