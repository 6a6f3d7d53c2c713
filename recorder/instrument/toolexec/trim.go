package main

import "strings"

// shown returns the path that the compiler gives a file. rules is the value of its flag -trimpath:
// PREFIX=>REPLACEMENT, separated by semicolons. The first rule that matches whole elements of the
// path applies. A prefix without a replacement is removed with the slash after it.
func shown(path, rules string) string {
	for _, rule := range strings.Split(rules, ";") {
		prefix, replacement := rule, ""
		if i := strings.LastIndex(rule, "=>"); i >= 0 {
			prefix, replacement = rule[:i], rule[i+len("=>"):]
		}
		if prefix == "" || !isWithin(path, prefix) {
			continue
		}
		rest := path[len(prefix):]
		if replacement == "" && rest != "" {
			rest = rest[1:]
		}
		path = replacement + rest
		break
	}
	if windows {
		path = strings.ReplaceAll(path, `\`, "/")
	}
	return path
}

// isWithin reports whether a path is a directory or below it. As in the compiler, the case of
// ASCII letters does not matter, and \ is /.
func isWithin(path, dir string) bool {
	if len(path) < len(dir) {
		return false
	}
	same := func(x, y byte) bool { return lower(x) == lower(y) }
	for i := range len(dir) {
		if !same(path[i], dir[i]) {
			return false
		}
	}
	return len(path) == len(dir) || same(path[len(dir)], '/')
}

func lower(b byte) byte {
	switch {
	case 'A' <= b && b <= 'Z':
		return b + 'a' - 'A'
	case b == '\\':
		return '/'
	}
	return b
}
