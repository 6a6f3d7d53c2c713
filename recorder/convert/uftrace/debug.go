package uftrace

import (
	"bytes"
	"strconv"
	"strings"

	"tracex/recorder/convert/fit"
)

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
