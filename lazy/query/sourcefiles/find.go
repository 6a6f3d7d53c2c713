// Package sourcefiles finds the source files of code locations: below directories, and those of Go also in the
// modules that these need and in the standard library.
package sourcefiles

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
)

// maxFiles bounds how many files are listed.
const maxFiles = 200_000

// Finder finds source files below directories, and those of Go also in the modules that these need. It
// lists them once, at the first find. It is safe for use by any goroutine.
type Finder struct {
	dirs   []string
	mu     sync.Mutex
	files  map[string][]file // by file name; nil if not listed yet
	needed map[string][]file // the same, of the modules needed
	paths  map[string]string // import paths of Go packages by directory; "" if not known
}

// New returns a Finder that looks below directories, which it keeps.
func New(dirs []string) *Finder { return &Finder{dirs: dirs} }

// Code is what was found for a spot. The zero value is nothing, for no spot.
type Code struct {
	Spot  Spot
	Path  string   // of the file; "" if none
	Alike int      // files that fit equally well, including this one: more than 1 makes it a guess
	Text  []string // the lines around the spot
	First int      // number of the first line of Text
	Err   error    // why there is no file, or no text
}

// Find finds the file of a spot and reads the lines around it. Code.Err tells why there are none. When ctx
// ends, it looks at what it has listed until then.
func (f *Finder) Find(ctx context.Context, s Spot) Code {
	found := f.Locate(ctx, s)
	if found.Err == nil {
		found.Text, found.First, found.Err = ReadAround(found.Path, s.Line)
	}
	return found
}

// Locate is Find without reading the lines: Code.Err tells where the file was looked for if there is none.
func (f *Finder) Locate(ctx context.Context, s Spot) Code {
	f.mu.Lock()
	defer f.mu.Unlock()
	found := Code{Spot: s}
	where := s.File + " is not under " + strings.Join(f.dirs, ", ")
	if f.files == nil {
		f.files = listFiles(ctx, f.dirs)
	}
	found.Path, found.Alike = f.choose(f.files[s.File], s, false)
	if found.Path == "" && s.IsGo() && !s.inMain() {
		if f.needed == nil {
			f.needed = listFiles(ctx, requiredBy(f.dirs))
		}
		found.Path, found.Alike = f.choose(f.needed[s.File], s, true)
		where += ", nor in the modules that it needs or in Go"
	}
	if found.Path == "" {
		found.Err = errors.New(where)
	}
	return found
}

// Whole is Locate for a spot whose file is named as in the trace: one with a whole path that exists is that.
func (f *Finder) Whole(ctx context.Context, s Spot) Code {
	if filepath.IsAbs(s.File) {
		if _, err := os.Stat(s.File); err == nil {
			return Code{Spot: s, Path: s.File, Alike: 1}
		}
	}
	if s.File = Base(s.File); len(f.dirs) == 0 {
		return Code{Spot: s, Err: errors.New("no directories are named in which " + s.File + " could be")}
	}
	return f.Locate(ctx, s)
}

// Name returns the path, marked if it is a guess.
func (f *Code) Name() string {
	if f.Alike > 1 {
		return f.Path + ", a guess: " + display.Plural(int64(f.Alike), "file") + " of that name"
	}
	return f.Path
}

// listFiles lists the files under directories by name. It skips directories that hold no sources.
func listFiles(ctx context.Context, dirs []string) map[string][]file {
	files := make(map[string][]file)
	seen := make(map[string]bool) // one directory may contain another
	n := 0
	for _, dir := range dirs {
		filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case ctx.Err() != nil || n >= maxFiles:
				return fs.SkipAll
			case err != nil:
				return nil // skip a directory that cannot be read
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
				files[d.Name()] = append(files[d.Name()], file{path, filepath.ToSlash(inside)})
			}
			return nil
		})
	}
	return files
}

// maxAlike is how many files of the same name are opened and read.
const maxAlike = 64

// file is a file below one of a finder's directories.
type file struct {
	path   string
	inside string // its directory, relative to the finder's, with slashes
}

// depth is how many directories are between the finder's and the file.
func (f file) depth() int {
	if f.inside == "." {
		return 0
	}
	return 1 + strings.Count(f.inside, "/")
}

// choose returns the file that a spot is in, and how many files fit equally well, including it; "" if each is of
// another Go package. Among files of that name it prefers one that has the line, then one that declares the spot's
// package, then one that has the function, then the one whose directories match the package, then the least deep. If
// several still fit equally well, the choice is a guess; with sure, which is for directories that the user has not named, there is
// none then, nor among files of another package.
func (f *Finder) choose(files []file, s Spot, sure bool) (path string, alike int) {
	files = slices.Clone(files)
	if s.IsGo() {
		pkg := s.importPath()
		files = slices.DeleteFunc(files, func(one file) bool { return f.isOther(filepath.Dir(one.path), pkg) })
	}
	slices.SortStableFunc(files, func(a, b file) int { return a.depth() - b.depth() })
	files = files[:min(len(files), maxAlike)]
	most := fit{}
	for _, f := range files {
		switch k := fitOf(f, s, sure || len(files) > 1); {
		case sure && !k.clause:
		case path == "" || k.better(most):
			path, alike, most = f.path, 1, k
		case !most.better(k):
			alike++
		}
	}
	if sure && alike > 1 {
		return "", 0
	}
	return path, alike
}

// isOther reports whether the Go package in a directory has another import path than pkg, if both are known.
func (f *Finder) isOther(dir, pkg string) bool {
	if !strings.Contains(pkg, "/") {
		return false // of the standard library, or only a name
	}
	path, known := f.paths[dir]
	if !known {
		if f.paths == nil {
			f.paths = make(map[string]string)
		}
		path = importPath(dir)
		f.paths[dir] = path
	}
	return path != "" && path != strings.TrimSuffix(pkg, testPackage) && !strings.HasSuffix(path, "/vendor/"+pkg)
}

// fit tells how well a file fits a spot.
type fit struct {
	line   bool // it has the line
	clause bool // it declares the package
	named  bool // it has the function
	dirs   int  // how many of its directories match the package, the last first
}

func (a fit) better(b fit) bool {
	switch {
	case a.line != b.line:
		return a.line
	case a.clause != b.clause:
		return a.clause
	case a.named != b.named:
		return a.named
	}
	return a.dirs > b.dirs
}

// fitOf tells how well a file fits. With look, it reads the file.
func fitOf(f file, s Spot, look bool) fit {
	pkg := s.pkg()
	dirs := strings.Split(filepath.ToSlash(filepath.Dir(f.path)), "/")
	var k fit
	for k.dirs < min(len(pkg), len(dirs)) && pkg[len(pkg)-1-k.dirs] == dirs[len(dirs)-1-k.dirs] {
		k.dirs++
	}
	if look {
		k.look(f.path, s)
	}
	return k
}

// packageClause matches how Go, Java, Kotlin, Scala and Groovy sources declare their package.
var packageClause = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*package\s+([\w.]+)`) })

// maxLooked is how many lines of a file are searched for a function.
const maxLooked = 100_000

// look reads a file for what a spot says of it.
func (k *fit) look(path string, s Spot) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	k.line = s.Line == 0
	clause := strings.Join(s.pkg(), ".")
	if s.IsGo() {
		clause = filter.PackageOf(s.Class)
		clause = clause[strings.LastIndexByte(clause, '/')+1:]
	}
	r, name := bufio.NewReader(f), s.function()
	said := false
	for n := 1; n <= maxLooked && (n <= s.Line || name != "" && !k.named); n++ {
		text, err := readLine(r)
		if err != nil {
			return
		}
		k.line = k.line || n == s.Line
		k.named = k.named || name != "" && declares(text, name)
		if m := packageClause().FindStringSubmatch(text); m != nil && !said {
			said, k.clause = true, m[1] == clause
		}
	}
}

// declares reports whether a line has a name before a parenthesis, as a declaration has.
func declares(text, name string) bool {
	i := strings.Index(text, name+"(")
	if i < 0 {
		i = strings.Index(text, name+"[")
	}
	return i == 0 || i > 0 && strings.IndexByte(" \t*", text[i-1]) >= 0
}
