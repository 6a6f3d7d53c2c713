package code

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// maxAlike is how many files of the same name are opened and read.
const maxAlike = 64

// file is a file below one of a Finder's directories.
type file struct {
	path   string
	inside string // its directory, relative to the Finder's, with slashes
}

// depth is how many directories are between the Finder's and the file.
func (f file) depth() int {
	if f.inside == "." {
		return 0
	}
	return 1 + strings.Count(f.inside, "/")
}

// choose returns the file that a spot is in, and how many files fit equally well, including it.
// Among files of that name it prefers one that declares the spot's package, then the one whose
// directories match the package, then the least deep. If several still fit equally well, the
// choice is a guess.
func choose(files []file, s Spot) (path string, alike int) {
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b file) int { return a.depth() - b.depth() })
	files = files[:min(len(files), maxAlike)]
	most := fit{}
	for _, f := range files {
		switch k := fitOf(f, s, len(files) > 1); {
		case path == "" || k.better(most):
			path, alike, most = f.path, 1, k
		case !most.better(k):
			alike++
		}
	}
	return path, alike
}

// fit tells how well a file fits a spot.
type fit struct {
	line   bool // it has the line
	clause bool // it declares the package
	dirs   int  // how many of its directories match the package, the last first
}

func (a fit) better(b fit) bool {
	switch {
	case a.line != b.line:
		return a.line
	case a.clause != b.clause:
		return a.clause
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
		k.line, k.clause = lookInto(f.path, s.Line, strings.Join(pkg, "."))
	}
	return k
}

// packageClause matches how Go, Java, Kotlin, Scala and Groovy sources declare their package.
var packageClause = regexp.MustCompile(`^\s*package\s+([\w.]+)`)

// lookInto reports whether a file has a line, and whether it declares a package.
func lookInto(path string, line int, pkg string) (has, clause bool) {
	f, err := os.Open(path)
	if err != nil {
		return false, false
	}
	defer f.Close()
	r := bufio.NewReader(f)
	said := false
	for n := 1; n <= line; n++ {
		text, err := readLine(r)
		if err != nil {
			return false, clause
		}
		if m := packageClause.FindStringSubmatch(text); m != nil && !said {
			said, clause = true, m[1] == pkg
		}
	}
	return true, clause
}
