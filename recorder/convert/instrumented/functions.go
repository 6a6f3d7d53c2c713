package instrumented

import (
	"iter"
	"strings"

	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/gonames"
)

// function is a function of a program, or a go statement.
type function struct {
	raw.Function
	method        int32 // its id
	class, name   string
	args, results []*typ // nil: not known
	returns       bool   // results are known, see program.returned
	called        bool

	// Of a go statement.
	statement string // what is between its last parentheses
	place     int32
	placed    bool
}

// mostFunctions bounds the ids of functions that are found by index.
const mostFunctions = 1 << 20

// functions are the functions of a program, by id.
type functions struct {
	list []*function
	rest map[uint32]*function // those with large ids
}

func (fs *functions) get(id uint32) *function {
	if id < uint32(len(fs.list)) {
		return fs.list[id]
	}
	return fs.rest[id]
}

// all yields the functions, in no order.
func (fs *functions) all() iter.Seq[*function] {
	return func(yield func(*function) bool) {
		for _, f := range fs.list {
			if f != nil && !yield(f) {
				return
			}
		}
		for _, f := range fs.rest {
			if !yield(f) {
				return
			}
		}
	}
}

func (fs *functions) add(f *function) {
	switch {
	case f.ID >= mostFunctions:
		if fs.rest == nil {
			fs.rest = map[uint32]*function{}
		}
		fs.rest[f.ID] = f
		return
	case f.ID >= uint32(len(fs.list)):
		fs.list = append(fs.list, make([]*function, int(f.ID)+1-len(fs.list))...)
	}
	fs.list[f.ID] = f
}

// newFunction names a function.
func newFunction(d *raw.Function, names *programNames) *function {
	f := &function{Function: *d, method: none}
	main := d.Flags&raw.FunctionMain != 0
	pkg, linked := names.of(d.Package, main), "p."
	if main {
		linked = "main."
	}
	if d.Flags&raw.FunctionGo != 0 {
		f.class = pkg
		f.name, f.statement = splitStatement(d.Name)
		return f
	}
	_, receiver, name := gonames.Split(linked + d.Name)
	f.class, f.name = gonames.Class(pkg, receiver), name
	return f
}

// splitStatement splits the text of a go statement, go worker(i, s), into what is called and
// the text of its arguments.
func splitStatement(text string) (name, arguments string) {
	if !strings.HasPrefix(text, "go ") {
		text = "go " + text
	}
	if !strings.HasSuffix(text, ")") {
		return text, ""
	}
	open := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case ')', ']', '}':
			open++
		case '(', '[', '{':
			if open--; open == 0 {
				return text[:i], text[i+1 : len(text)-1]
			}
		}
	}
	return text, ""
}
