package interop

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/readback"
	"tracex/recorder/convert/sources"
	"tracex/recorder/convert/uftrace"
)

// interopVariable is the environment variable that selects the tests.
const interopVariable = "TRACEX_INTEROP"

func needInterop(t testing.TB) {
	t.Helper()
	if os.Getenv(interopVariable) == "" {
		t.Skipf("records programs with uftrace and compares its own output; set %s=1 to run it (needs uftrace, gcc and g++)", interopVariable)
	}
	for _, tool := range []string{"uftrace", "gcc", "g++"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatalf("%s is set, but %s is missing: %v", interopVariable, tool, err)
		}
	}
}

// program is a compiled program in a folder of its own.
type program struct {
	dir string
	exe string
}

// compile compiles sources of testdata for uftrace: the first to a program, the others to libraries
// beside it.
func compile(t testing.TB, sources ...string) program {
	t.Helper()
	p := program{dir: t.TempDir()}
	for i, source := range sources {
		base, ext, _ := strings.Cut(source, ".")
		compiler := "gcc"
		if ext == "cpp" {
			compiler = "g++"
		}
		path, err := filepath.Abs(filepath.Join("testdata", source))
		if err != nil {
			t.Fatal(err)
		}
		args := []string{"-pg", "-g", "-O0", "-w", path, "-pthread", "-ldl", "-o"}
		if i > 0 {
			args = append(args, "lib"+base+".so", "-shared", "-fPIC")
		} else {
			args = append(args, base)
			p.exe = base
		}
		p.run(t, nil, compiler, args...)
	}
	return p
}

// run runs a command in the program's folder. mayFail is whether it may exit with another code than 0.
func (p program) run(t testing.TB, mayFail func(output string) bool, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	if err != nil && (mayFail == nil || !mayFail(string(out))) {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return string(out)
}

// record records the program, and returns the data directory.
func (p program) record(t testing.TB, options []string, args ...string) string {
	t.Helper()
	dir, err := os.MkdirTemp(p.dir, "data")
	if err != nil {
		t.Fatal(err)
	}
	all := append([]string{"record", "--no-pager", "-d", dir}, options...)
	all = append(append(all, "./"+p.exe), args...)
	// The recorder exits as the program does, and some programs are meant to be killed.
	p.run(t, func(output string) bool {
		return strings.Contains(output, "child terminated by signal") || len(args) > 0
	}, "uftrace", all...)
	return dir
}

// imported converts a data directory.
func imported(t testing.TB, dir string) (*readback.Trace, *calltrace.Summary) {
	t.Helper()
	if !uftrace.Source.IsFolder(dir) {
		t.Fatalf("%s is not recognised", dir)
	}
	trace, sum, err := readback.Convert(context.Background(), &uftrace.Source, sources.Input{Path: dir, Size: -1}, calltrace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return trace, sum
}
