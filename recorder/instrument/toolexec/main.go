// Command toolexec is run by the go command in place of each tool of a build, with the tool and
// its arguments: go build -toolexec=PATH. It instruments the sources of the packages whose
// compiler flags have a stamp, or edits those of Go's own so that they tell where goroutines wait,
// and gives the linker the package that they call. It hands over to any other tool at once. Package
// wrapper has the settings that it gets, and how.
package main

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"tracex/recorder/instrument/rewrite"
	"tracex/recorder/instrument/wrapper"
)

func main() {
	args := os.Args[1:]
	if len(args) == 0 {
		fmt.Fprintln(os.Stderr, "usage: go build -toolexec=PATH: the command is run by go")
		os.Exit(2)
	}
	tool, args := args[0], args[1:]
	switch strings.TrimSuffix(filepath.Base(tool), ".exe") {
	case "compile":
		if plain, stamped := withoutStamp(expand(args)); stamped {
			os.Exit(compile(tool, plain))
		}
	case "link":
		if len(args) == 1 && args[0] == "-V=full" {
			os.Exit(linkVersion(tool, args))
		}
		all := expand(args)
		if _, config := flagValue(all, "-importcfg"); config != "" {
			os.Exit(link(tool, all))
		}
	}
	become(tool, args)
}

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

// withoutStamp returns the arguments of the compiler without stamps, and whether there was one.
func withoutStamp(args []string) (plain []string, stamped bool) {
	for i, a := range args {
		if strings.HasPrefix(a, wrapper.Flag) {
			if !stamped {
				plain, stamped = append(make([]string, 0, len(args)), args[:i]...), true
			}
		} else if stamped {
			plain = append(plain, a)
		}
	}
	return plain, stamped
}

// expand replaces each argument of the form @FILE by the arguments in the file. It keeps @FILE if the
// file cannot be read: the tool will report that.
func expand(args []string) []string {
	for i, a := range args {
		if strings.HasPrefix(a, "@") {
			return append(append([]string(nil), args[:i]...), expandRest(args[i:])...)
		}
	}
	return args
}

func expandRest(args []string) (all []string) {
	for _, a := range args {
		path, ok := strings.CutPrefix(a, "@")
		if !ok {
			all = append(all, a)
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			all = append(all, a)
			continue
		}
		all = append(all, argumentsIn(string(text))...)
	}
	return all
}
