package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"tracex/recorder/instrument/rewrite"
	"tracex/recorder/instrument/wrapper"
)

// compilation is one run of the compiler.
type compilation struct {
	tool     string
	args     []string // without the stamp
	id       string   // import path; a variant for a test has the test in brackets
	path     string   // import path alone
	dir      string   // for the files written here
	settings wrapper.Settings
	report   wrapper.Report
}

// compile runs the compiler on the instrumented sources, or on the package's own if those do not
// compile. It returns the exit code.
func compile(tool string, args []string) int {
	settings, err := wrapper.Load(os.Getenv)
	if err != nil {
		return fail("%v", err)
	}
	c := &compilation{tool: tool, args: args, id: os.Getenv("TOOLEXEC_IMPORTPATH"), settings: settings}
	if c.id == "" {
		_, c.id = flagValue(args, "-p")
	}
	c.path, _, _ = strings.Cut(c.id, " ")
	c.report.Package = c.id
	_, output := flagValue(args, "-o")
	waits := rewrite.NewWaits(c.path)
	if !settings.Options.Waits {
		waits = nil
	}
	if output == "" || waits == nil && slices.Contains(settings.Never, c.path) {
		become(tool, args)
	}
	c.dir = filepath.Join(filepath.Dir(output), "tracex")
	if waits != nil {
		changed, defect, err := c.tellWaits(waits)
		switch {
		case err != nil:
			return fail("%s cannot be edited: %v", c.id, err)
		case defect != nil:
			fmt.Fprintf(os.Stderr, "tracex: %v\n", defect)
			become(tool, args)
		}
		return c.run(changed)
	}

	if _, err := os.Stat(c.archive()); err != nil {
		return missing(c.archive())
	}
	changed, defect, err := c.instrument()
	switch {
	case err != nil:
		return fail("%s cannot be instrumented: %v", c.id, err)
	case defect != nil:
		return c.plain(defect)
	case changed == nil:
		c.tell()
		become(tool, args)
	}
	return c.run(changed)
}

// archive returns the archive that matches how the package is compiled.
func (c *compilation) archive() string {
	if has(c.args, "-shared", "-dynlink") {
		return c.settings.SharedArchive()
	}
	return c.settings.Archive
}

// instrument writes edited copies of the sources and returns the arguments to compile them
// with, nil if nothing is instrumented.
//
// A defect is a lasting reason why this package cannot be instrumented: its own sources are
// compiled instead. If they are not valid Go, the compiler explains that better.
// After an error the package must not be compiled at all: the go command would cache the result
// and take it for the instrumented package.
func (c *compilation) instrument() (changed []string, defect, err error) {
	first := firstSource(c.args)
	path := c.path
	if path == "command-line-arguments" {
		_, path = flagValue(c.args[:first], "-p") // main, or in tests the same
	}
	_, rules := flagValue(c.args[:first], "-trimpath")
	_, lang := flagValue(c.args[:first], "-lang")
	at, config := flagValue(c.args[:first], "-importcfg")
	p := rewrite.New(path, rewrite.Options{
		Tests: c.settings.Options.Tests, Trivial: c.settings.Options.Trivial, Lang: lang,
		GOOS: os.Getenv("GOOS"), GOARCH: os.Getenv("GOARCH"),
		Shown:  func(path string) string { return shown(path, rules) },
		Import: importsOf(config),
	})
	for _, name := range c.args[first:] {
		absolute, text, defect, err := source(name)
		if defect != nil || err != nil {
			return nil, defect, err
		}
		if err := p.Add(absolute, text); err != nil {
			return nil, err, nil
		}
	}
	changed = slices.Clone(c.args)
	for i := range p.Len() {
		file, err := p.Edit(i)
		if err != nil {
			return nil, err, nil
		}
		c.report.Functions = append(c.report.Functions, file.Functions...)
		c.report.Statements += file.Statements
		if file.Text == nil {
			continue
		}
		changed[first+i], err = c.write(fmt.Sprintf("%d_%s", i, filepath.Base(c.args[first+i])), file.Text)
		if err != nil {
			return nil, nil, err
		}
	}
	table := p.Table()
	if table == nil {
		return nil, nil, nil
	}
	tablePath, err := c.write("tracex.go", table)
	if err != nil {
		return nil, nil, err
	}
	changed = slices.Insert(changed, first, tablePath)
	if at < 0 {
		return nil, errors.New("the compiler is run without -importcfg"), nil
	}
	copied := filepath.Join(c.dir, "importcfg")
	if err := writeConfig(copied, config, c.archive()); err != nil {
		return nil, nil, err
	}
	return replaced(changed, at, "-importcfg", copied), nil, nil
}

// tellWaits writes edited copies of the sources of one of Go's own packages, and returns the arguments to compile them
// with. A defect is as that of instrument.
func (c *compilation) tellWaits(w *rewrite.Waits) (changed []string, defect, err error) {
	changed = slices.Clone(c.args)
	first := firstSource(c.args)
	for i, name := range c.args[first:] {
		absolute, text, defect, err := source(name)
		if defect != nil || err != nil {
			return nil, defect, err
		}
		edited, err := w.Edit(absolute, text)
		if err != nil {
			return nil, err, nil
		}
		if edited == nil {
			continue
		}
		if changed[first+i], err = c.write(filepath.Base(name), edited); err != nil {
			return nil, nil, err
		}
	}
	table, defect := w.Table()
	if defect != nil || table == nil {
		return changed, defect, nil
	}
	path, err := c.write("tracex.go", table)
	return slices.Insert(changed, first, path), nil, err
}

// source reads a source, and returns its absolute path. A defect is as that of instrument.
func source(name string) (path string, text []byte, defect, err error) {
	if path, err = filepath.Abs(name); err == nil {
		text, defect = os.ReadFile(name)
	}
	return path, text, defect, err
}

// firstSource returns the index of the first source among the arguments. Sources follow the last
// flag. Not all end in .go: files by which an overlay replaces others may have any name.
func firstSource(args []string) int {
	first := len(args)
	for first > 0 && !strings.HasPrefix(args[first-1], "-") {
		first--
	}
	if first > 0 && first < len(args) && slices.Contains([]string{"-asmhdr", "-embedcfg", "-importcfg", "-D"}, args[first-1]) {
		first++ // its value
	}
	for first < len(args) && !strings.HasSuffix(args[first], ".go") {
		if st, err := os.Stat(args[first]); err == nil && st.Mode().IsRegular() {
			break
		}
		first++ // the value of another flag
	}
	return first
}

// write writes a file into the directory for it and returns its path.
func (c *compilation) write(name string, text []byte) (path string, err error) {
	if err := os.MkdirAll(c.dir, 0o777); err != nil {
		return "", err
	}
	path = filepath.Join(c.dir, name)
	return path, os.WriteFile(path, text, 0o666)
}

func (c *compilation) run(changed []string) int {
	output, err := os.Create(filepath.Join(c.dir, "output"))
	if err != nil {
		return fail("%v", err)
	}
	defer output.Close()
	cmd := exec.Command(c.tool, changed...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, output, output
	err = cmd.Run()
	if _, err := output.Seek(0, io.SeekStart); err != nil {
		return fail("%v", err)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		line, _ := bufio.NewReader(io.LimitReader(output, 4096)).ReadString('\n')
		if line = strings.TrimSpace(line); line == "" {
			line = err.Error()
		}
		if strings.Contains(line, "could not import "+rewrite.ImportPath) {
			return fail("%s cannot be compiled with %s: %s", c.id, c.archive(), line)
		}
		return c.plain(fmt.Errorf("its instrumented sources do not compile: %s", line))
	}
	if _, copied := io.Copy(os.Stdout, output); err != nil || copied != nil {
		return code(c.tool, errors.Join(err, copied))
	}
	c.tell()
	return 0
}

// plain compiles the package's own sources, because the instrumented ones cannot be compiled. It
// shows the user the errors in them, or else the reason.
func (c *compilation) plain(reason error) int {
	result := run(c.tool, c.args)
	if result == 0 {
		fmt.Fprintf(os.Stderr, "tracex: %s is not recorded: %v\n", c.id, reason)
		c.report.Failed = reason.Error()
		c.tell()
	}
	return result
}

// tell writes the report if there is to be one.
func (c *compilation) tell() {
	if c.settings.Report == "" {
		return
	}
	if err := c.report.Write(c.settings.Report); err != nil {
		fail("the report of %s cannot be written: %v", c.id, err)
	}
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

const windows = runtime.GOOS == "windows"

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
