package sourcefiles

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// modFile describes a Go module.
const modFile = "go.mod"

// ModuleAround returns the directory of the Go module that a directory is in; "" if it is in none.
func ModuleAround(dir string) string {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for at := whole; ; {
		if _, err := os.Stat(filepath.Join(at, modFile)); err == nil {
			if at == whole {
				return dir
			}
			return at
		}
		up := filepath.Dir(at)
		if up == at {
			return ""
		}
		at = up
	}
}

// importPath returns the import path of the Go package in a directory, by the module around it; "" if it is in none.
func importPath(dir string) string {
	whole, err := filepath.Abs(dir)
	root := ModuleAround(whole)
	if err != nil || root == "" {
		return ""
	}
	inside, err := filepath.Rel(root, whole)
	if err != nil {
		return ""
	}
	name := moduleName(filepath.Join(root, modFile))
	switch inside = filepath.ToSlash(inside); {
	case name == "", inside == ".":
		return name
	case name == "std": // Go's own library
		return inside
	}
	return name + "/" + inside
}

// moduleName returns the name of the module that a go.mod describes; "" if it says none.
func moduleName(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	r := bufio.NewReader(f)
	for range maxModLines {
		line, err := readLine(r)
		if err != nil {
			break
		}
		line, _, _ = strings.Cut(line, "//")
		if words := strings.Fields(line); len(words) == 2 && words[0] == "module" && words[1] != "(" {
			return strings.Trim(words[1], "\"`")
		}
	}
	return ""
}

// requiredBy returns the directories of the modules that others need, as far as they are on this
// machine: in the module cache, or where a replacement says. The last is that of the standard library.
func requiredBy(dirs []string) (all []string) {
	seen := make(map[string]bool)
	add := func(dir string) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() && !seen[dir] {
			seen[dir] = true
			all = append(all, dir)
		}
	}
	cache := moduleCache()
	for _, dir := range dirs {
		if dir = ModuleAround(dir); dir == "" {
			continue
		}
		for _, line := range modLines(filepath.Join(dir, modFile)) {
			words := strings.Fields(line)
			if i := slices.Index(words, "=>"); i >= 0 {
				if words = words[i+1:]; len(words) == 1 { // a directory
					if !filepath.IsAbs(words[0]) {
						words[0] = filepath.Join(dir, filepath.FromSlash(words[0]))
					}
					add(words[0])
					continue
				}
			}
			if len(words) == 2 && strings.HasPrefix(words[1], "v") && cache != "" {
				add(filepath.Join(cache, filepath.FromSlash(escaped(words[0])+"@"+escaped(words[1]))))
			}
		}
	}
	if root := goRoot(); root != "" {
		add(filepath.Join(root, "src"))
	}
	return all
}

// goRoot returns where Go is installed; "" if it is not known.
func goRoot() string {
	if dir := os.Getenv("GOROOT"); dir != "" {
		return dir
	}
	path, err := exec.LookPath("go")
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return ""
	}
	return filepath.Dir(filepath.Dir(path))
}

// maxModLines bounds what is read of a go.mod.
const maxModLines = 10_000

// modLines returns what a go.mod requires and replaces, a line for each, without these words.
func modLines(path string) (lines []string) {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	r := bufio.NewReader(f)
	block := false
	for range maxModLines {
		line, err := readLine(r)
		if err != nil {
			break
		}
		line, _, _ = strings.Cut(line, "//")
		line = strings.TrimSpace(line)
		verb, rest, _ := strings.Cut(line, " ")
		wanted := verb == "require" || verb == "replace"
		switch {
		case block && line == ")":
			block = false
		case wanted && strings.TrimSpace(rest) == "(":
			block = true
		case wanted:
			lines = append(lines, rest)
		case block && line != "":
			lines = append(lines, line)
		}
	}
	return lines
}

// moduleCache returns the directory of Go's module cache; "" if it is not known.
func moduleCache() string {
	if dir := os.Getenv("GOMODCACHE"); dir != "" {
		return dir
	}
	for _, dir := range filepath.SplitList(os.Getenv("GOPATH")) {
		return filepath.Join(dir, "pkg", "mod")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, "go", "pkg", "mod")
}

// escaped is a path or a version as the module cache writes it: upper-case letters are lower-case ones
// after an exclamation mark.
func escaped(path string) string {
	var b strings.Builder
	for _, r := range path {
		if unicode.IsUpper(r) {
			b.WriteByte('!')
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}
