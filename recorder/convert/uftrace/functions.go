package uftrace

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/fit"
)

// maxFunctions bounds the functions that are distinguished.
const maxFunctions = 1 << 19

var tooManyFunctions = fit.Why(fmt.Sprintf("call of a function beyond the first %d", maxFunctions), fmt.Sprintf("calls of functions beyond the first %d", maxFunctions))

// maxSearched bounds how many libraries, the last ones loaded, are searched for an address.
const maxSearched = 1 << 10

// python is the name of a file of Python functions: uftrace numbers them from 1, and these numbers are
// their addresses.
const python = "python.fake"

// pageSize is that of uftrace when it maps Python functions.
const pageSize = 4096

// resolver finds the functions at addresses.
type resolver struct {
	folder  *folder
	machine *info
	rules   *rules
	to      *calltrace.Writer
	left    *fit.Tally
	room    symbolRoom         // for all modules
	modules map[string]*module // by path and build id; several sessions may map one
	known   int                // functions, in all sessions
	other   *function          // for all beyond maxFunctions
}

func newResolver(d *folder, machine *info, to *calltrace.Writer, left *fit.Tally) *resolver {
	return &resolver{folder: d, machine: machine, rules: newRules(machine), to: to, left: left,
		room: symbolRoom{maxSymbols, maxSymbolBytes}, modules: make(map[string]*module)}
}

// module returns the symbols and debug information of a mapped file.
func (r *resolver) module(file, buildID string) *module {
	key := file + "\x00" + buildID
	if m := r.modules[key]; m != nil {
		return m
	}
	m := &module{}
	r.modules[key] = m
	if name, ok := r.fileOf(file, buildID, ".sym"); ok {
		table, err := r.folder.readSymbols(name, &r.room, r.left)
		m.symbols = table
		r.unreadable(err)
		if buildID == "" { // of a library that dlopen loaded
			_, buildID = r.folder.subject(name)
		}
	}
	if name, ok := r.fileOf(file, buildID, ".dbg"); ok {
		d, err := r.folder.readDebug(name, r.left)
		m.debug = d
		r.unreadable(err)
	}
	return m
}

func (r *resolver) unreadable(err error) {
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.left.Count(unreadable, 1, -1)
	}
}

// fileOf returns the name of the file about a mapped file. If its name is that of another mapped
// file, its own has four digits more: the first of its build id, or the sum of the path's bytes. The
// path alone does not tell which one it is, as that may be relative in one place.
func (r *resolver) fileOf(file, buildID, suffix string) (name string, ok bool) {
	base := path.Base(file)
	if !fs.ValidPath(base) || base == "." {
		return "", false
	}
	name = base + suffix
	if !r.folder.has(name) {
		return "", false
	}
	subject, id := r.folder.subject(name)
	if same := subject == "" || subject == file; same && (id == "" || buildID == "") || id != "" && id == buildID {
		return name, true
	}
	digits := buildID[:min(len(buildID), 4)]
	if digits == "" {
		sum := uint16(0)
		for _, c := range []byte(file) {
			sum += uint16(c)
		}
		digits = fmt.Sprintf("%04x", sum)
	}
	name = base + "-" + digits + suffix
	return name, fs.ValidPath(name) && r.folder.has(name)
}

// load reads the map file of a session.
func (r *resolver) load(s *session) {
	s.loaded = true
	s.byAddress = make(map[uint64]*function)
	if err := r.folder.readMap(s, r.left); err != nil {
		r.left.Count(unreadable, 1, -1)
	}
	if r.folder.has(python + ".sym") {
		// Its functions are at the lowest addresses, where nothing else is mapped.
		m := r.module(python, "")
		size := (uint64(len(m.symbols)) + pageSize) / pageSize * pageSize
		s.mappings = append([]mapping{{end: size, path: python, module: m}}, s.mappings...)
	}
}

// mapping returns a library as a mapped file whose size is unknown.
func (l *library) mapping() *mapping { return &mapping{start: l.base, path: l.path, module: l.module} }

// find returns the symbols at an address, and the mapped file that has them. n is how many libraries
// were loaded.
func (r *resolver) find(s *session, n int, address uint64) (names symbols, m *mapping, loaded bool) {
	if m = s.find(address); m != nil {
		// Most mapped files are never asked for, so each is read when it first is.
		if m.module == nil {
			m.module = r.module(m.path, m.buildID)
		}
		if names = m.module.symbols.at(address - m.start); names != nil {
			return names.demangle(), m, false
		}
	}
	// Of libraries only the beginning is known. The last one that was loaded there counts.
	for i := n - 1; i >= max(0, n-maxSearched); i-- {
		l := &s.libraries[i]
		if l.base > address {
			continue
		}
		if l.module == nil {
			l.module = r.module(l.path, "")
		}
		if names = l.module.symbols.at(address - l.base); names != nil {
			return names.demangle(), l.mapping(), true
		}
	}
	return nil, m, true
}

// function returns the function at an address. n is how many libraries were loaded.
func (r *resolver) function(s *session, n int, address uint64) *function {
	f := s.byAddress[address]
	if f != nil && (f.libraries < 0 || f.libraries == n) {
		return f
	}
	if f == nil && r.known >= maxFunctions {
		r.left.Count(tooManyFunctions, 1, -1)
		if r.other == nil {
			r.other = &function{method: r.to.Method("", "<other functions>"), libraries: -1}
		}
		return r.other
	}
	if f == nil {
		r.known++
	}
	f = r.resolve(s, n, address)
	s.byAddress[address] = f
	return f
}

// resolve makes the function at an address.
func (r *resolver) resolve(s *session, n int, address uint64) *function {
	names, m, loaded := r.find(s, n, address)
	f := &function{libraries: -1}
	if loaded {
		f.libraries = n
	}
	if names == nil {
		f.method = r.to.Method("", fmt.Sprintf("<addr %#x>", address))
		return f
	}
	// Several symbols at one address are names of one function; the first is shown.
	name := names[0].name
	class := ""
	if m.path == python {
		if dot := strings.LastIndexByte(name, '.'); dot > 0 {
			class, name = name[:dot], name[dot+1:]
		}
	}
	f.method = r.to.Method(class, name)
	f.returnsAgain = strings.Contains(name, "setjmp")
	f.forks = strings.HasSuffix(name, "fork") || name == "daemon"
	var known described
	if d := m.module.debug; d != nil {
		f.enums = d.enums
		if known = d.functions[names[0].address]; known.file > 0 {
			f.place = r.to.Place(d.files[known.file-1], names[0].name, int(known.line), nil)
		}
	}
	f.layout = r.rules.of(names, m, s, known)
	return f
}

// symbol returns the text of the symbol that contains an address, such as table+0x10, or "".
func (r *resolver) symbol(s *session, n int, address uint64) string {
	names, m, _ := r.find(s, n, address)
	if names == nil {
		return ""
	}
	if off := address - m.start - names[0].address; off > 0 {
		return fmt.Sprintf("%s+%#x", names[0].name, off)
	}
	return names[0].name
}

// position is the moment of a task that decides which function is at an address.
type position struct {
	session   *session
	libraries int    // how many are loaded
	until     uint64 // when this changes
}

// positionAt returns the position of a task at a time.
func (r *resolver) positionAt(ts *tasks, t *task, time uint64) (p position) {
	p.session, p.until = ts.programAt(t, time)
	if p.session == nil {
		p.session = &session{loaded: true, byAddress: make(map[uint64]*function)}
		ts.sessions = append(ts.sessions, p.session)
	}
	s := p.session
	if !s.loaded {
		r.load(s)
	}
	p.libraries = loadedAt(s.libraries, time)
	if p.libraries < len(s.libraries) {
		p.until = min(p.until, s.libraries[p.libraries].from)
	}
	return p
}
