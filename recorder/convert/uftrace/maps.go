package uftrace

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"

	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/fit"
)

// function is what calls need to know of their function.
type function struct {
	method calltrace.Method
	place  calltrace.Place
	layout layout
	enums  enums // of its file
	// returnsAgain is set for setjmp: its end may be recorded several times.
	returnsAgain bool
	forks        bool
	// libraries is how many libraries were loaded when the function was looked for among them; -1
	// if it is in a file that is mapped from the beginning.
	libraries int
}

// module is a mapped file's symbols and debug information.
type module struct {
	symbols symbols
	debug   *debug
}

// session is a program that runs in a process, with the files that it maps.
type session struct {
	id        string
	pid       int
	from      uint64
	program   string    // path
	libraries []library // loaded by dlopen, in order of time

	loaded    bool
	mappings  []mapping // by address
	byAddress map[uint64]*function
}

// mapping is a file in the memory of a process.
type mapping struct {
	start, end uint64
	path       string
	buildID    string
	module     *module
}

// library is a file that dlopen loaded.
type library struct {
	from   uint64
	base   uint64
	path   string
	module *module
}

// maxMappings bounds the mapped files of a session.
const maxMappings = 1 << 16

// readMap reads the map file of a session.
func (d *folder) readMap(s *session, left *fit.Tally) error {
	var last *mapping
	err := d.lines("sid-"+path.Base(s.id)+".map", func(line []byte) bool {
		m, ok := parseMapping(line)
		switch {
		case !ok:
			if len(line) > 0 && !anonymous(line) {
				left.Count(badLines, 1, -1)
			}
		case m.path[0] == '[': // a stack, for example
		case last != nil && last.path == m.path:
			// The parts of a file are one, whatever lies between them.
			last.end = max(last.end, m.end)
		case len(s.mappings) >= maxMappings:
			left.Count(badLines, 1, -1)
		default:
			s.mappings = append(s.mappings, m)
			last = &s.mappings[len(s.mappings)-1]
		}
		return true
	})
	slices.SortStableFunc(s.mappings, func(a, b mapping) int { return cmp.Compare(a.start, b.start) })
	return err
}

// The columns of a map file: start-end, rights, offset, device, inode, path, build id.
const (
	mapPath    = 5
	mapBuildID = 6
)

// anonymous reports whether a line is of memory without a file.
func anonymous(line []byte) bool { return len(bytes.Fields(line)) == mapPath }

// parseMapping parses a line of a map file: 55c5-55c6 r-xp 00000000 00:00 0 /bin/x build-id:7b35.
func parseMapping(line []byte) (m mapping, ok bool) {
	columns := strings.Fields(string(line))
	if len(columns) <= mapPath {
		return m, false
	}
	start, end, _ := strings.Cut(columns[0], "-")
	var errs [2]error
	m.start, errs[0] = strconv.ParseUint(start, 16, 64)
	m.end, errs[1] = strconv.ParseUint(end, 16, 64)
	m.path = columns[mapPath]
	if len(columns) > mapBuildID {
		m.buildID, _ = strings.CutPrefix(columns[mapBuildID], "build-id:")
	}
	return m, errs == [2]error{} && m.start < m.end
}

// find returns the mapped file at an address, or nil.
func (s *session) find(address uint64) *mapping {
	i := sort.Search(len(s.mappings), func(i int) bool { return s.mappings[i].start > address })
	if i == 0 || s.mappings[i-1].end <= address {
		return nil
	}
	return &s.mappings[i-1]
}

// firstNamed returns the mapped file with the lowest address whose name begins so, or nil.
func (s *session) firstNamed(prefix string) *mapping {
	for i := range s.mappings {
		if strings.HasPrefix(path.Base(s.mappings[i].path), prefix) {
			return &s.mappings[i]
		}
	}
	return nil
}

// loadedAt returns how many libraries, in order, were loaded by a time.
func loadedAt(libraries []library, time uint64) int {
	return sort.Search(len(libraries), func(i int) bool { return libraries[i].from > time })
}

// maxDescribed bounds the functions of a file that have debug information.
const maxDescribed = 2 << 20

// debug is what NAME.dbg says.
type debug struct {
	functions map[uint64]described // by address, relative to where their file is mapped
	files     []string
	enums     enums
}

// described is a function's debug information.
type described struct {
	file, line   int32 // file is 1 + its number in debug.files; 0 if unknown
	args, result string
}

// readDebug reads NAME.dbg.
func (d *folder) readDebug(name string, left *fit.Tally) (*debug, error) {
	g := &debug{functions: make(map[uint64]described), enums: make(enums)}
	files := make(map[string]int32)
	var address uint64
	var f described
	known := false
	keep := func() {
		if known && (len(g.functions) < maxDescribed) {
			g.functions[address] = f
		}
	}
	err := d.lines(name, func(line []byte) bool {
		if len(line) == 0 || line[0] == '#' {
			return true
		}
		key, value, ok := bytes.Cut(line, []byte(": "))
		switch string(key) {
		case "F": // the lines after it are about this function
			keep()
			hex, _, _ := bytes.Cut(value, []byte{' '})
			n, err := strconv.ParseUint(string(hex), 16, 64)
			address, f, known, ok = n, described{}, err == nil, err == nil
		case "L":
			f.line, f.file, ok = g.place(value, files)
		case "A":
			f.args = string(value)
		case "R":
			f.result = string(value)
		case "E":
			g.enums.parse(string(value))
		default:
			ok = false
		}
		if !ok {
			left.Count(badLines, 1, -1)
		}
		return true
	})
	keep()
	return g, err
}

// place parses 11 demo.c.
func (g *debug) place(value []byte, files map[string]int32) (line, file int32, ok bool) {
	number, name, ok := bytes.Cut(value, []byte{' '})
	n, err := strconv.ParseInt(string(number), 10, 32)
	if !ok || err != nil || n < 0 || len(name) == 0 {
		return 0, 0, false
	}
	file = files[string(name)]
	if file == 0 {
		g.files = append(g.files, string(name))
		file = int32(len(g.files))
		files[string(name)] = file
	}
	return int32(n), file, true
}

// subject returns which mapped file a file is about: its first lines have the path and the build id.
func (d *folder) subject(name string) (path, buildID string) {
	_ = d.lines(name, func(line []byte) bool {
		text := string(line)
		if p, ok := strings.CutPrefix(text, "# path name: "); ok {
			path = p
		}
		if id, ok := strings.CutPrefix(text, "# build-id: "); ok {
			buildID = id
		}
		return strings.HasPrefix(text, "#")
	})
	return path, buildID
}
