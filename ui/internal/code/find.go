package code

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"

	"tracex/ui/internal/screen"
)

// maxFiles bounds how many files are listed.
const maxFiles = 200_000

// Finder finds source files below directories, and those of Go also in the modules that these need. It
// lists them once, at the first Find. It is safe for use by any goroutine.
type Finder struct {
	dirs   []string
	mu     sync.Mutex
	files  map[string][]file // by file name; nil if not listed yet
	needed map[string][]file // the same, of the modules needed
}

// NewFinder returns a Finder for the given directories.
func NewFinder(dirs []string) *Finder { return &Finder{dirs: dirs} }

// Found is the result for a spot. The zero value is nothing, for no spot.
type Found struct {
	Spot  Spot
	Path  string   // of the file; "" if none
	Alike int      // files that fit equally well, including this one: more than 1 makes it a guess
	Text  []string // the lines around the spot
	First int      // number of the first line of Text
	Err   error    // why there is no file, or no text
}

// Find finds the file of a spot and reads the lines around it.
func (f *Finder) Find(ctx context.Context, s Spot) Found {
	found := Found{Spot: s}
	where := s.File + " is not under " + strings.Join(f.dirs, ", ")
	found.Path, found.Alike = choose(f.list(ctx)[s.File], s)
	if found.Path == "" && s.isGo() {
		found.Path, found.Alike = choose(f.listNeeded(ctx)[s.File], s)
		where += ", nor in the modules that it needs or in Go"
	}
	if found.Path == "" {
		found.Err = errors.New(where)
		return found
	}
	found.Text, found.First, found.Err = readAround(found.Path, s.Line)
	return found
}

func (f *Finder) list(ctx context.Context) map[string][]file {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.files == nil {
		f.files = listFiles(ctx, f.dirs)
	}
	return f.files
}

func (f *Finder) listNeeded(ctx context.Context) map[string][]file {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.needed == nil {
		f.needed = listFiles(ctx, requiredBy(f.dirs))
	}
	return f.needed
}

// Name returns the path, marked if it is a guess.
func (f *Found) Name() string {
	if f.Alike > 1 {
		return f.Path + ", a guess: " + screen.Plural(int64(f.Alike), "file") + " of that name"
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
