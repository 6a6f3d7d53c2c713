//go:build linux

package recordtest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestVariants: the trace of the program shapes is the same however it is built.
func TestVariants(t *testing.T) {
	long(t)
	plain, _ := built(t, shapesDir)
	want := run(t, "", nil, plain, "argument")
	for _, c := range []struct {
		name  string
		flags []string
		env   []string
		arch  string // "": all
	}{
		{"race", []string{"-race"}, nil, ""},
		{"cover", []string{"-cover"}, []string{"GOCOVERDIR=" + t.TempDir()}, ""},
		{"trimpath", []string{"-trimpath"}, nil, ""},
		{"pie", []string{"-buildmode=pie"}, nil, ""},
		{"not optimized", []string{"-gcflags=-N -l"}, nil, ""},
		{"nothing inlined", []string{"-gcflags=all=-l"}, nil, ""},
		{"stripped", []string{"-ldflags=-s -w"}, nil, ""},
		{"v3", nil, []string{"GOAMD64=v3"}, "amd64"},
		{"experiment", nil, []string{"GOEXPERIMENT=noregabiargs"}, ""},
		{"ancestors", nil, []string{"GODEBUG=tracebackancestors=10"}, ""},
		{"pages", nil, []string{"GODEBUG=asyncpreemptoff=1", "GOGC=1"}, ""},
		{"one processor", nil, []string{"GOMAXPROCS=1"}, ""},
		{"no cgo", nil, []string{"CGO_ENABLED=0"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.arch != "" && c.arch != runtime.GOARCH {
				return
			}
			recording := filepath.Join(t.TempDir(), "recording")
			must(t, runTracex(t, shapesDir, c.env, append(append([]string{"build", "-o", recording, "--"}, c.flags...), ".")...))
			for range 3 {
				recordShapes(t, shapesDir, c.env, want, recording, "argument")
			}
		})
	}
	// A command that go runs has its exit code from go.
	want.code, want.stderr = 1, want.stderr+"exit status 7\n"
	t.Run("run", func(t *testing.T) { recordShapes(t, shapesDir, nil, want, "go", "run", ".", "argument") })
	t.Run("run under race", func(t *testing.T) {
		recordShapes(t, shapesDir, nil, want, "go", "run", "-race", ".", "argument")
	})
	t.Run("run files", func(t *testing.T) {
		list := must(t, run(t, shapesDir, nil, "go", "list", "-f", `{{join .GoFiles " "}}`))
		files := strings.Fields(list.stdout)
		dir := copied(t, shapesDir)
		// Files alone have no assembler.
		text, err := os.ReadFile(filepath.Join(dir, "pragmas.go"))
		if err != nil {
			t.Fatal(err)
		}
		with := strings.NewReplacer("func inAssembler(n int) int\n", "//go:nosplit\nfunc inAssembler(n int) int { return n + 1 }\n").Replace(string(text))
		if err := os.WriteFile(filepath.Join(dir, "pragmas.go"), []byte(with), 0o666); err != nil {
			t.Fatal(err)
		}
		recordShapes(t, dir, nil, want, append(append([]string{"go", "run"}, files...), "argument")...)
	})
	t.Run("other machine", func(t *testing.T) {
		if _, err := exec.LookPath("qemu-aarch64-static"); err != nil || runtime.GOARCH != "amd64" {
			t.Log("there is no qemu-aarch64-static: left out")
			return
		}
		recordShapes(t, shapesDir, []string{"GOARCH=arm64"}, want, "go", "run", "-exec", "qemu-aarch64-static", ".", "argument")
	})
}

// copied returns a copy of a directory.
func copied(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), filepath.Base(dir))
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}
