package ui

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// maxAlike is how many files of the same name are looked into.
const maxAlike = 64

// sourceFile is a file below a folder of --source.
type sourceFile struct {
	path   string
	inside string // its folder, from that of --source on, with slashes
}

// depth is how many folders lie between that of --source and the file.
func (f sourceFile) depth() int {
	if f.inside == "." {
		return 0
	}
	return 1 + strings.Count(f.inside, "/")
}

// choice is the file that was chosen for a spot.
type choice struct {
	path  string // "": none
	alike int    // files that it might be as well, itself included: more than 1 is a guess
}

// choose returns the file that a spot is in: of several of that name, one that
// says that it is of the spot's package, then the one whose folders do, then the
// one that is the least deep. Where that leaves several that fit as well, the
// choice is a guess.
func choose(files []sourceFile, s spot) choice {
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b sourceFile) int { return a.depth() - b.depth() })
	files = files[:min(len(files), maxAlike)]
	var best choice
	most := fit{}
	for _, f := range files {
		switch k := fitOf(f, s, len(files) > 1); {
		case best.path == "" || k.better(most):
			best, most = choice{f.path, 1}, k
		case !most.better(k):
			best.alike++
		}
	}
	return best
}

// fit is how well a file fits a spot.
type fit struct {
	line    bool // it has the line
	clause  bool // it says that it is of the package
	folders int  // how many of its folders are those of the package, the last first
}

func (a fit) better(b fit) bool {
	switch {
	case a.line != b.line:
		return a.line
	case a.clause != b.clause:
		return a.clause
	}
	return a.folders > b.folders
}

// fitOf tells how well a file fits. It is looked into when that is asked for.
func fitOf(f sourceFile, s spot, look bool) fit {
	pkg := s.pkg()
	folders := strings.Split(filepath.ToSlash(filepath.Dir(f.path)), "/")
	var k fit
	for k.folders < min(len(pkg), len(folders)) && pkg[len(pkg)-1-k.folders] == folders[len(folders)-1-k.folders] {
		k.folders++
	}
	if look {
		k.line, k.clause = lookInto(f.path, s.line, strings.Join(pkg, "."))
	}
	return k
}

// pkg returns the package of a spot's class, a word for each folder. In Go the
// class is the package, or a type in it.
func (s spot) pkg() []string {
	words := strings.Split(s.class, ".")
	if strings.HasSuffix(s.file, ".go") {
		return words[:1]
	}
	return words[:len(words)-1]
}

// packageClause is how sources of Go, Java, Kotlin, Scala and Groovy say which
// package they are of.
var packageClause = regexp.MustCompile(`^\s*package\s+([\w.]+)`)

// lookInto reports whether a file has a line, and whether it says that it is of
// a package.
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
