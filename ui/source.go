package ui

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/ui/internal/screen"
)

// How many files are looked at for sources, and how many lines are shown around
// a code location.
const (
	maxSourceFiles = 200_000
	sourceAround   = 3
	maxSourceLine  = 1000 // bytes of a line that are kept
)

// spot is a code location to find the source of.
type spot struct {
	file  string // name, without folders
	class string // full name, for the package
	line  int
}

// sources finds source files under the folders of --source. What is found is
// remembered.
type sources struct {
	files  map[string][]sourceFile // by file name; nil: not listed yet
	spot   spot                    // that text belongs to
	choice                         // the file; no path: not found
	text   []string                // lines around the spot
	first  int                     // number of text's first line
	busy   bool
	failed error
}

// spotOf returns the code location of a node.
func (m *Model) spotOf(n *lazy.Node) (s spot, ok bool) {
	if n == nil || n.Point() == nil {
		return s, false
	}
	m.r.WithContext(func(c *format.Context) {
		id := n.Point().Location
		l := c.Location(id)
		if l == nil {
			return
		}
		s.file, s.line, ok = c.FileLine(id)
		s.class = sourceClass(c, l)
	})
	s.file = filepath.Base(filepath.ToSlash(s.file))
	return s, ok && s.line > 0 && s.file != "." && s.file != "/"
}

// sourceClass is the full name of the class that a code location is in.
// Recorders write it with slashes.
func sourceClass(c *format.Context, l *format.CodeLocation) string {
	class, _ := c.Text(l.Class)
	return strings.ReplaceAll(class, "/", ".")
}

// sourceVisible asks for the source of the cursor's row when the details show
// it.
func (m *Model) sourceVisible() tea.Cmd {
	if !m.details.on || len(m.o.Source) == 0 || m.source.busy {
		return nil
	}
	s, ok := m.spotOf(m.out.cursor.Node)
	if !ok || s == m.source.spot {
		return nil
	}
	return m.findSource(s, nil)
}

// findSource looks for a source file and reads the lines around a spot; then
// runs when it is there.
func (m *Model) findSource(s spot, then action) tea.Cmd {
	m.source.busy = true
	files, dirs, life := m.source.files, m.o.Source, m.life
	e, cmd := m.soon(func() effect {
		if files == nil {
			files = listSources(life, dirs)
		}
		f := sourced{files: files, spot: s, choice: choose(files[s.file], s), then: then}
		if f.path == "" {
			f.err = errors.New(s.file + " is not under " + strings.Join(dirs, ", "))
			return f
		}
		f.text, f.first, f.err = readAround(f.path, s.line)
		return f
	})
	if e != nil {
		return e.apply(m)
	}
	return cmd
}

// sourced is the end of looking for a source.
type sourced struct {
	files map[string][]sourceFile
	spot  spot
	choice
	text  []string
	first int
	err   error
	then  action
}

func (f sourced) apply(m *Model) tea.Cmd {
	m.source = sources{files: f.files, spot: f.spot, choice: f.choice, text: f.text, first: f.first, failed: f.err}
	return m.run(f.then)
}

// listSources lists the files under folders by their names. Folders that hold
// no sources are left out.
func listSources(ctx context.Context, dirs []string) map[string][]sourceFile {
	files := make(map[string][]sourceFile)
	seen := make(map[string]bool) // folders of --source may lie within each other
	n := 0
	for _, dir := range dirs {
		filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case ctx.Err() != nil || n >= maxSourceFiles:
				return fs.SkipAll
			case err != nil:
				return nil // a folder that cannot be read has nothing for us
			case d.IsDir():
				if name := d.Name(); path != dir && (strings.HasPrefix(name, ".") || name == "node_modules") {
					return fs.SkipDir
				}
				return nil
			}
			n++
			if whole, err := filepath.Abs(path); err != nil || !seen[whole] {
				seen[whole] = true
				inside, _ := filepath.Rel(dir, filepath.Dir(path)) // it is below dir
				files[d.Name()] = append(files[d.Name()], sourceFile{path, filepath.ToSlash(inside)})
			}
			return nil
		})
	}
	return files
}

// said is the path, and that it is a guess, if it is.
func (c choice) said() string {
	if c.alike > 1 {
		return c.path + ", a guess: " + screen.Plural(int64(c.alike), "file") + " of that name"
	}
	return c.path
}

// readAround reads the lines around a line, from 1, of a file.
func readAround(path string, line int) (text []string, first int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	first = max(1, line-sourceAround)
	r := bufio.NewReader(f)
	for n := 1; n <= line+sourceAround; n++ {
		s, err := readLine(r)
		if err != nil {
			break
		}
		if n >= first {
			text = append(text, s)
		}
	}
	return text, first, nil
}

// readLine reads a line, of which it keeps the beginning.
func readLine(r *bufio.Reader) (string, error) {
	var kept []byte
	for {
		part, prefix, err := r.ReadLine()
		if err != nil {
			return "", err
		}
		if room := maxSourceLine - len(kept); room > 0 {
			kept = append(kept, part[:min(room, len(part))]...)
		}
		if !prefix {
			return strings.ReplaceAll(string(kept), "\t", "    "), nil
		}
	}
}

// describe adds the file of a code location, and the lines around it, to the
// details, when they are there.
func (s *sources) describe(sheet *sheet, at spot) {
	if s.path == "" || s.spot != at {
		return
	}
	name := s.said()
	if s.failed == nil && s.first+len(s.text) <= at.line {
		name += ", which has no line " + strconv.Itoa(at.line)
		sheet.pair("source", name, screen.Faint)
		return
	}
	sheet.pair("source", name, screen.Plain)
	for i, text := range s.text {
		number := s.first + i
		st := screen.Faint
		mark := " "
		if number == s.spot.line {
			st, mark = screen.Bold, sheet.g.Cursor
		}
		l := screen.NewLine(sheet.width, sheet.g)
		label := strconv.Itoa(number)
		l.Space(labelWidth - 2 - len(label))
		l.Put(label, screen.Faint).Put(mark, screen.Accent).Put(" "+text, st)
		sheet.lines = append(sheet.lines, l.End())
	}
}
