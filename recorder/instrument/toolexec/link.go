package main

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"strings"

	"tracex/recorder/instrument/rewrite"
	"tracex/recorder/instrument/wrapper"
)

// link runs the linker with the archive among its packages, and returns its exit code. The linker
// ignores the archive unless the program has an instrumented package.
func link(tool string, args []string) int {
	settings, err := wrapper.Load(os.Getenv)
	if err != nil {
		return fail("%v", err)
	}
	archive, err := linkArchive(settings, args)
	if err != nil {
		return fail("%v", err)
	}
	if _, err := os.Stat(archive); err != nil {
		result := run(tool, args)
		if result != 0 { // otherwise the program has no instrumented package
			missing(archive)
		}
		return result
	}
	at, config := flagValue(args, "-importcfg")
	changed := config + ".tracex"
	if err := writeConfig(changed, config, archive); err != nil {
		return fail("%v", err)
	}
	packages := "-X=" + rewrite.ImportPath + ".packages=" + os.Getenv("TOOLEXEC_IMPORTPATH") + " " + settings.Names
	return run(tool, append([]string{packages}, replaced(args, at, "-importcfg", changed)...))
}

// linkVersion tells the go command the version of the linker: another one if packages have other names, so
// that a program with those from before is linked again.
func linkVersion(tool string, args []string) int {
	settings, err := wrapper.Load(os.Getenv)
	if err != nil || settings.Names == "" {
		become(tool, args)
	}
	c := exec.Command(tool, args...)
	c.Stderr = os.Stderr
	version, err := c.Output()
	if err != nil {
		return code(tool, err)
	}
	hash := fnv.New64a()
	hash.Write([]byte(settings.Names))
	// A version under development is known by the end of its last word, others by the whole line.
	fmt.Printf("%s+%016x\n", bytes.TrimRight(version, "\n"), hash.Sum64())
	return 0
}

// linkArchive returns the archive that matches how a program is linked.
func linkArchive(settings wrapper.Settings, args []string) (string, error) {
	switch _, mode := flagValue(args, "-buildmode"); mode {
	case "", "exe", "default":
		return settings.Archive, nil
	case "plugin", "shared": // a process would have several recorders
		return "", fmt.Errorf("programs with -buildmode=%s cannot be recorded", mode)
	}
	return settings.SharedArchive(), nil
}

// missing says that an archive is missing and returns an exit code.
func missing(archive string) int {
	return fail("%s is missing: run the command again", archive)
}

// writeConfig writes a copy of an importcfg file with the archive added.
func writeConfig(to, from, archive string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	text = bytes.TrimRight(text, "\n")
	text = fmt.Appendf(text[:len(text):len(text)], "\npackagefile %s=%s\n", rewrite.ImportPath, archive)
	return os.WriteFile(to, text, 0o666)
}

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
