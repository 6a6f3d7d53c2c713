package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tracex/recorder/instrument/wrapper"
)

const beWrapper = "TRACEX_TOOLEXEC_TESTED"

// TestMain lets the test's binary be the wrapper in builds.
func TestMain(m *testing.M) {
	if os.Getenv(beWrapper) != "" {
		main()
	}
	os.Exit(m.Run())
}

// module is a directory with a module that is built.
type module struct {
	t        *testing.T
	dir      string
	settings wrapper.Settings
}

// newModule makes a module of files, with an archive and a directory for reports.
func newModule(t *testing.T, files map[string]string) *module {
	t.Helper()
	m := &module{t: t, dir: t.TempDir()}
	m.settings = wrapper.Settings{Archive: filepath.Join(t.TempDir(), "tracexrt.a"), Options: wrapper.Options{Tests: true, Trivial: true}, Report: t.TempDir()}
	m.write("go.mod", "module example.com/program\n\ngo 1.25\n")
	for name, text := range files {
		m.write(name, text)
	}
	return m
}

func (m *module) write(name, text string) {
	m.t.Helper()
	if err := os.WriteFile(filepath.Join(m.dir, name), []byte(text), 0o666); err != nil {
		m.t.Fatal(err)
	}
}

// archive compiles a package tracexrt.
func (m *module) archive(text string) {
	m.t.Helper()
	dir := filepath.Dir(m.settings.Archive)
	out, err := exec.Command("go", "list", "-export", "-f", "packagefile {{.ImportPath}}={{.Export}}", "runtime").Output()
	if err != nil {
		m.t.Fatal(err)
	}
	source, config := filepath.Join(dir, "tracexrt.go"), filepath.Join(dir, "importcfg")
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(config, out, 0o666); err != nil {
		m.t.Fatal(err)
	}
	if out, err := exec.Command("go", "tool", "compile", "-p", "tracexrt", "-complete", "-pack", "-importcfg", config, "-o", m.settings.Archive, source).CombinedOutput(); err != nil {
		m.t.Fatalf("%v\n%s", err, out)
	}
}

// run runs a command in the module and returns its outputs and exit code.
func (m *module) run(name string, args ...string) (stdout, stderr string, code int) {
	m.t.Helper()
	c := exec.Command(name, args...)
	var out, errs bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = m.dir, &out, &errs
	c.Env = append(os.Environ(), append(m.settings.Environ(), "GOFLAGS=", "GOWORK=off", beWrapper+"=1")...)
	if err := c.Run(); c.ProcessState == nil {
		m.t.Fatal(err)
	}
	return out.String(), errs.String(), c.ProcessState.ExitCode()
}

// instrumented returns the flags of go build for instrumented packages.
func instrumented() []string { return []string{"-toolexec=" + self(), "-gcflags=-tracex=1"} }

func self() string {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return path
}

func (m *module) build(flags ...string) (output string, code int) {
	m.t.Helper()
	stdout, stderr, code := m.run("go", append([]string{"build", "-o", "program.exe"}, flags...)...)
	return stdout + stderr, code
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestProgram builds and runs a program with and without the wrapper: its output and exit code
// are the same, and its functions have the names and places that the runtime knows them by.
func TestProgram(t *testing.T) {
	m := newModule(t, map[string]string{
		"main.go":      read(t, "testdata/main.go.txt"),
		"generated.go": read(t, "testdata/generated.go.txt"),
	})
	m.archive(read(t, "testdata/tracexrt.go.txt"))
	program := filepath.Join(m.dir, "program.exe")

	if out, code := m.build(); code != 0 {
		t.Fatal(out)
	}
	want, wantErrors, wantCode := m.run(program, "an argument")
	unstamped := read(t, program)
	if out, code := m.build(instrumented()[0]); code != 0 || read(t, program) != unstamped {
		t.Errorf("without stamps, the wrapper makes another program: %s", out)
	}
	if out, code := m.build(instrumented()...); code != 0 || out != "" {
		t.Fatalf("exit code %d: %s", code, out)
	}
	have, entered, code := m.run(program, "an argument")
	if have != want || code != wantCode || wantErrors != "" {
		t.Errorf("exit code %d, output\n%s\nwant %d,\n%s%s", code, have, wantCode, want, wantErrors)
	}

	reports, err := wrapper.ReadReports(m.settings.Report)
	if err != nil || len(reports) != 1 {
		t.Fatalf("%d reports, %v", len(reports), err)
	}
	report := reports[0]
	if report.Package != "example.com/program" || report.Failed != "" || report.Statements != 5 {
		t.Errorf("the report says %+v", report)
	}
	reasons, never := map[string]string{}, map[string]bool{}
	lines := strings.Split(read(t, "testdata/main.go.txt"), "\n")
	for _, f := range report.Functions {
		reasons[f.Name] = f.Reason
		if filepath.Base(f.File) == "main.go" {
			never[f.Name] = strings.Contains(lines[f.Line-1], `here("never")`)
		}
	}
	seen := map[string]bool{}
	for line := range strings.Lines(entered) {
		var name, callerName, file, callerFile, pkg string
		var at, callerAt, args int
		if _, err := fmt.Sscanf(line, "enter %s %s %s %s %d %d %s %d", &name, &callerName, &file, &callerFile, &at, &callerAt, &pkg, &args); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if name != callerName || file != callerFile || at != callerAt || pkg != "example.com/program" {
			t.Errorf("%s of %s at %s:%d is %s at %s:%d", name, pkg, file, at, callerName, callerFile, callerAt)
		}
		seen[name] = true
	}
	for name, reason := range reasons {
		if seen[name] != (reason == "" && !never[name]) {
			t.Errorf("%s: entered %t, reason %q", name, seen[name], reason)
		}
	}
	if len(seen) < 60 {
		t.Errorf("%d functions were entered: %v", len(seen), seen)
	}
}

// TestErrorsOfThePlainSources: errors of the user's sources are shown as without the wrapper.
func TestErrorsOfThePlainSources(t *testing.T) {
	for name, text := range map[string]string{
		"type":          "package main\n\nfunc main() { go f(1); x := 1; var y int = \"\" }\nfunc f(int) (int, error) { return 1, z }\n",
		"syntax":        "package main\n\nfunc main() {\n\tif {\n}\n",
		"bare return":   "package main\n\nfunc main() { f() }\nfunc f() (int, string) { return }\n",
		"directive":     "package main\n\nfunc main() { //go:noinline\n}\n",
		"unused import": "package main\n\nimport \"fmt\"\n\nfunc main() {}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newModule(t, map[string]string{"main.go": text})
			m.archive("package tracexrt\n" + api)
			want, wantCode := m.build()
			have, code := m.build(instrumented()...)
			if have != want || code != wantCode || code == 0 {
				t.Errorf("exit code %d, output\n%s\nwant %d,\n%s", code, have, wantCode, want)
			}
		})
	}
}

// api are the declarations of package tracexrt.
const api = `
type Func struct { Name, File, Pkg, Own, Args string; Line int32; Recv, Go, Test bool; Res uint8; Follow uint64 }
func On() bool { return true }
func Enter(f *Func, args ...any) int { return 0 }
func Exit(token int, results ...any) {}
func Go(f *Func) {}
func V[T any](x *T) any { return *x }
`

// TestFallback: if a package does not compile when instrumented, its own sources are compiled.
func TestFallback(t *testing.T) {
	t.Parallel()
	m := newModule(t, map[string]string{"main.go": "package main\n\ntype T struct{}\n\nfunc main() { f(T{}) }\nfunc f(T) { println(\"ran\") }\n"})
	m.archive("package tracexrt\n" + strings.Replace(api, "func V", "func other", 1))
	const want = "# example.com/program\ntracex: example.com/program is not recorded: its instrumented sources do not compile: ./main.go:6: undefined: __tracex.V\n"
	for range 2 { // the second time out of the build cache
		out, code := m.build(instrumented()...)
		if code != 0 || out != want {
			t.Errorf("exit code %d, output\n%s\nwant\n%s", code, out, want)
		}
	}
	if _, out, code := m.run(filepath.Join(m.dir, "program.exe")); out != "ran\n" || code != 0 {
		t.Errorf("exit code %d: %s", code, out)
	}
	reports, err := wrapper.ReadReports(m.settings.Report)
	if err != nil || len(reports) != 1 || !strings.HasSuffix(reports[0].Failed, "undefined: __tracex.V") {
		t.Errorf("reports %v, %v", reports, err)
	}
}

// TestArchive: an archive that is missing or cannot be used is an error, and is not kept in the
// build cache.
func TestArchive(t *testing.T) {
	t.Parallel()
	m := newModule(t, map[string]string{"main.go": "package main\n\nfunc main() {}\n"})
	out, code := m.build(instrumented()...)
	if code == 0 || !strings.Contains(out, "tracexrt.a is missing: run the command again\n") {
		t.Errorf("exit code %d: %s", code, out)
	}
	if err := os.WriteFile(m.settings.Archive, []byte("no archive\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	out, code = m.build(instrumented()...)
	if code == 0 || !strings.Contains(out, "tracex: example.com/program cannot be compiled with ") {
		t.Errorf("exit code %d: %s", code, out)
	}
	m.archive("package tracexrt\n" + api)
	if out, code = m.build(instrumented()...); code != 0 || out != "" {
		t.Errorf("exit code %d: %s", code, out)
	}
	if err := os.Remove(m.settings.Archive); err != nil {
		t.Fatal(err)
	}
	out, code = m.build(append(instrumented(), "-ldflags=-s")...) // the package is in the cache
	if code == 0 || !strings.Contains(out, "tracexrt.a is missing: run the command again\n") {
		t.Errorf("exit code %d: %s", code, out)
	}
	m.settings.Never = []string{"example.com/program"}
	m.write("main.go", "package main\n\nfunc main() { println() }\n")
	if out, code = m.build(instrumented()...); code != 0 || out != "" {
		t.Errorf("exit code %d: %s", code, out)
	}
}

// TestPathWithLineBreak: line directives cannot name such a file.
func TestPathWithLineBreak(t *testing.T) {
	t.Parallel()
	m := newModule(t, nil)
	m.archive("package tracexrt\n" + api)
	if err := os.Mkdir(filepath.Join(m.dir, "a\nb"), 0o777); err != nil {
		t.Skip(err)
	}
	m.write("importcfg", "")
	m.write("a\nb/p.go", "package p\n\nfunc f(x int) int { return x }\n")
	compiler, _, _ := m.run("go", "tool", "-n", "compile")
	out, errs, code := m.run(self(), strings.TrimSpace(compiler), "-tracex=1", "-o", "p.a", "-p", "p", "-importcfg=importcfg", "-pack", "a\nb/p.go")
	if code != 0 || out != "" || !strings.HasPrefix(errs, "tracex: p is not recorded: the path ") || read(t, filepath.Join(m.dir, "p.a")) == "" {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
}

// TestEndOfFile: what follows the last declaration does not affect the compiled package.
func TestEndOfFile(t *testing.T) {
	t.Parallel()
	m := newModule(t, nil)
	m.archive("package tracexrt\n" + api)
	m.write("importcfg", "")
	compiler, _, _ := m.run("go", "tool", "-n", "compile")
	var first string
	for i, end := range []string{"", "\n// A comment.\n", "\n\n\n/* Another\ncomment. */"} {
		m.write("p.go", "package p\n\nfunc f(x int) int { go f(x); return x }\n"+end)
		out, errs, code := m.run(self(), strings.TrimSpace(compiler), "-tracex=1", "-o", filepath.Join(m.dir, "p.a"), "-p", "p", "-importcfg=importcfg", "-pack", "-trimpath", m.dir, "p.go")
		if code != 0 {
			t.Fatalf("exit code %d: %s%s", code, out, errs)
		}
		object := read(t, filepath.Join(m.dir, "p.a"))
		if i == 0 {
			first = object
		}
		if object != first || !strings.Contains(object, "tracexrt") {
			t.Errorf("with the end %q another object is compiled, or it is not instrumented", end)
		}
	}
}

// TestToolByName: a tool without a directory is looked for as a shell does, such as a C compiler that
// the go command asks for its version.
func TestToolByName(t *testing.T) {
	want, err := exec.Command("go", "version").Output()
	if err != nil {
		t.Fatal(err)
	}
	wrapped := func(args ...string) *exec.Cmd {
		c := exec.Command(self(), args...)
		c.Env = append(os.Environ(), beWrapper+"=1")
		return c
	}
	if got, err := wrapped("go", "version").Output(); err != nil || string(got) != string(want) {
		t.Errorf("%q, %v; without it %q", got, err, want)
	}
	if out, err := wrapped("no-such-tool").CombinedOutput(); err == nil || !strings.Contains(string(out), "no-such-tool cannot be run") {
		t.Errorf("a tool that is missing: %q, %v", out, err)
	}
}
