package source

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"

	"tracex/ui/internal/screen"
)

// maxFiles bounds how many files are looked at.
const maxFiles = 200_000

// Finder finds source files below folders. It lists them once, at the first Find.
// Any goroutine may use it.
type Finder struct {
	dirs  []string
	mu    sync.Mutex
	files map[string][]file // by file name; nil: not listed yet
}

// NewFinder returns a Finder for some folders.
func NewFinder(dirs []string) *Finder { return &Finder{dirs: dirs} }

// Found is what was found of a spot. The zero value is nothing, of no spot.
type Found struct {
	Spot  Spot
	Path  string   // of the file; "": there is none
	Alike int      // files that it might be as well, itself included: more than 1 is a guess
	Text  []string // the lines around the spot
	First int      // number of the first of them
	Err   error    // why there is no file, or no text
}

// Find finds the file of a spot and reads the lines around it.
func (f *Finder) Find(ctx context.Context, s Spot) Found {
	found := Found{Spot: s}
	found.Path, found.Alike = choose(f.list(ctx)[s.File], s)
	if found.Path == "" {
		found.Err = errors.New(s.File + " is not under " + strings.Join(f.dirs, ", "))
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

// Name is the path, and that it is a guess, if it is.
func (f *Found) Name() string {
	if f.Alike > 1 {
		return f.Path + ", a guess: " + screen.Plural(int64(f.Alike), "file") + " of that name"
	}
	return f.Path
}

// listFiles lists the files under folders by their names. Folders that hold no
// sources are left out.
func listFiles(ctx context.Context, dirs []string) map[string][]file {
	files := make(map[string][]file)
	seen := make(map[string]bool) // the folders may lie within each other
	n := 0
	for _, dir := range dirs {
		filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case ctx.Err() != nil || n >= maxFiles:
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
				files[d.Name()] = append(files[d.Name()], file{path, filepath.ToSlash(inside)})
			}
			return nil
		})
	}
	return files
}
