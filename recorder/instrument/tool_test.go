package instrument

import (
	"errors"
	"go/build"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// toolModule makes a module that names tools.
func toolModule(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	mod := "module example.com/m\n\ngo 1.25\n\ntool (\n"
	for _, tool := range []string{"hello", "again/v2", "one/twice", "two/twice"} {
		mod += "\texample.com/m/" + tool + "\n"
		if err := os.MkdirAll(filepath.Join(dir, tool), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, tool, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod+")\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestMakeTool: a tool of go.mod is built, and run where go tool would run it. go says what is wrong with any other name.
func TestMakeTool(t *testing.T) {
	dir, out := toolModule(t), t.TempDir()
	tools := &Tools{Wrapper: "/w", Archive: "/a", Stamp: "s"}
	toolchain := &Toolchain{Go: "go", Root: build.Default.GOROOT}
	for command, found := range map[string]string{
		"go tool -C DIR hello": "hello", "go -C DIR tool hello a -n b": "hello", "go tool -C=DIR example.com/m/hello a": "hello", "go tool -C DIR again": "again/v2",
		"go tool -C DIR example.com/m/two/twice": "two/twice", "go -C DIR tool twice": "", "go -C DIR tool v2": "", "go -C DIR tool other": "",
	} {
		words := strings.Fields(strings.ReplaceAll(command, "DIR", dir))
		p, err := Make(t.Context(), toolchain, tools, words, Options{Folder: out})
		switch {
		case err != nil:
			t.Errorf("%s: %v", command, err)
		case found == "":
			if p.Build != nil || !slices.Equal(p.Args, words) {
				t.Errorf("%s: %q, %q", command, p.Build, p.Args)
			}
		default:
			program := filepath.Join(out, strings.TrimPrefix(strings.TrimSuffix(found, "/v2"), "two/"))
			if want := []string{"-o", program, "example.com/m/" + found}; len(p.Build) < 8 || !slices.Equal(p.Build[len(p.Build)-3:], want) || !slices.Contains(p.Build, "-toolexec=/w") {
				t.Errorf("%s is built by %q", command, p.Build)
			}
			if args := words[toolNamed(words)+1:]; p.Args[0] != program || !slices.Equal(p.Args[1:], args) || p.Dir != dir || !p.Runs || p.Several {
				t.Errorf("%s runs %q in %s", command, p.Args, p.Dir)
			}
		}
	}
}

// TestMakeToolOfGo: a tool that is part of Go is refused, with a word about what records it.
func TestMakeToolOfGo(t *testing.T) {
	toolchain := &Toolchain{Go: "go", Root: build.Default.GOROOT, hostOS: runtime.GOOS, hostArch: runtime.GOARCH}
	for _, name := range []string{"pprof", "compile"} {
		_, err := Make(t.Context(), toolchain, &Tools{}, []string{"go", "tool", name, "x"}, Options{Folder: t.TempDir()})
		var u *Unsupported
		if !errors.As(err, &u) || !strings.Contains(err.Error(), "go tool "+name) || !strings.Contains(u.Hint(), "go run cmd/"+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFolderOf: -C is the first flag.
func TestFolderOf(t *testing.T) {
	for command, want := range map[string]string{
		"go -C a test": "a", "go -C=a test": "a", "go test -C a .": "a", "go test --C=a .": "a", "go generate -C a": "a", "go run . -C a": "", "go test": "", "go": "", "go run -v -C=a": "",
	} {
		if got := folderOf(strings.Fields(command)); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}
