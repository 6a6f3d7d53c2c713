package instrument

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestIs(t *testing.T) {
	for command, want := range map[string]bool{
		"go test": true, "go run . x": true, "/usr/bin/go build": true, "go -C dir test": true, "go -C=dir install": true, "go.exe build": true,
		"go": false, "go vet": false, "go list build": false, "gofmt test": false, "./program run": false, "go -C dir": false,
		"go tool hello -n": true, "go -C dir tool -modfile=x hello": true, "go tool -modfile x hello": true, "go tool": false, "go tool -n hello": false,
		"go tool -modfile hello": false, "go generate": false,
	} {
		if got := Is(strings.Fields(command)); got != want {
			t.Errorf("%s: %t", command, got)
		}
	}
}

// TestMake: where flags are put, for commands as people write them.
func TestMake(t *testing.T) {
	tools := &Tools{Wrapper: "/w", Archive: "/a", Stamp: "s"}
	stamp := tools.stamp(Options{})
	tool, plain, work := "-toolexec=/w", "-gcflags="+stamp, "-gcflags=work="+stamp
	for _, c := range []struct {
		command string
		o       Options
		want    []string
		runs    bool
	}{
		{"go test ./...", Options{}, []string{"go", "test", tool, "-count=1", plain, work, "./..."}, true},
		{"go test -count 3 -run=X . -args -count", Options{}, []string{"go", "test", tool, plain, work, "-count", "3", "-run=X", ".", "-args", "-count"}, true},
		{"go test -test.count=2", Options{}, []string{"go", "test", tool, plain, work, "-test.count=2"}, true},
		{"go test all", Options{}, []string{"go", "test", tool, "-count=1", plain, work, "all"}, true},
		{"go run a.go b.go c", Options{}, []string{"go", "run", tool, plain, work, "a.go", "b.go", "c"}, true},
		{"go test . -args -count=2", Options{}, []string{"go", "test", tool, "-count=1", plain, work, ".", "-args", "-count=2"}, true},
		{"go test -c .", Options{}, []string{"go", "test", tool, "-count=1", plain, work, "-c", "."}, false},
		{"go -C dir run . -gcflags=-N", Options{}, []string{"go", "-C", "dir", "run", tool, plain, work, ".", "-gcflags=-N"}, true},
		{"go run -C dir -race . -toolexec x", Options{}, []string{"go", "run", "-C", "dir", tool, plain, work, "-race", ".", "-toolexec", "x"}, true},
		{"go build -C=dir -o x", Options{}, []string{"go", "build", "-C=dir", tool, plain, work, "-o", "x"}, false},
		{"go build", Options{Packages: []string{"net/http", "work"}}, []string{"go", "build", tool, "-gcflags=net/http=" + stamp, work}, false},
	} {
		p, err := Make(context.Background(), &Toolchain{Go: "go"}, tools, strings.Fields(c.command), c.o)
		if err != nil {
			t.Errorf("%s: %v", c.command, err)
			continue
		}
		if several := strings.Contains(c.command, "...") || strings.HasSuffix(c.command, " all"); p.Several != several {
			t.Errorf("%s: several programs: %t", c.command, p.Several)
		}
		if !reflect.DeepEqual(p.Args, c.want) || p.Runs != c.runs {
			t.Errorf("%s:\n%q, runs %t, want\n%q", c.command, p.Args, p.Runs, c.want)
		}
	}
}

// TestMakeRefuses: the user has a -toolexec, in the command or in GOFLAGS.
func TestMakeRefuses(t *testing.T) {
	for _, c := range []struct{ flags, command string }{
		{"", "go build -toolexec=x ."}, {"", "go test -v -toolexec x"}, {"-toolexec=x", "go test"}, {"-v '-toolexec=x y'", "go test"},
	} {
		_, err := Make(context.Background(), &Toolchain{Go: "go", flags: c.flags}, &Tools{}, strings.Fields(c.command), Options{})
		if !errors.Is(err, ErrToolexec) {
			t.Errorf("%s with GOFLAGS=%s: %v", c.command, c.flags, err)
		}
	}
}

// TestMakeMerges: if the user has -gcflags, each package gets them and the stamp.
func TestMakeMerges(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m\n\ngo 1.24\n", "main.go": "package main\n\nimport _ \"m/low\"\n\nfunc main() {}\n", "low/low.go": "package low\n", "other/other.go": "package other\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tools := &Tools{Wrapper: "/w", Stamp: "s"}
	stamp := tools.stamp(Options{})
	command := []string{"go", "build", "-C", dir, "-gcflags=-N", "-gcflags=m/low=-l -N", "."}
	p, err := Make(context.Background(), &Toolchain{Go: "go"}, tools, command, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"go", "build", "-C", dir, "-toolexec=/w", "-gcflags=-N", "-gcflags=m/low=-l -N"}; !slices.Equal(p.Args[:len(want)], want) || p.Args[len(p.Args)-1] != "." {
		t.Errorf("%q", p.Args)
	}
	for _, want := range []string{"-gcflags=m=-N " + stamp, "-gcflags=m_test=-N " + stamp, "-gcflags=m/low=-l -N " + stamp, "-gcflags=m/other=" + stamp} {
		if !slices.Contains(p.Args, want) {
			t.Errorf("no %q in %q", want, p.Args)
		}
	}
}

// TestInside: the flags follow the user's in GOFLAGS.
func TestInside(t *testing.T) {
	tools := &Tools{Wrapper: "/a folder/w", Archive: "/a", Stamp: "s"}
	p, err := Inside(t.Context(), &Toolchain{flags: "-v"}, tools, []string{"make", "test"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	stamp := tools.stamp(Options{})
	want := "GOFLAGS=-v \"-toolexec='/a folder/w'\" -count=1 -gcflags=" + stamp + " -gcflags=work=" + stamp
	if got := p.Env[len(p.Env)-1]; got != want || !slices.Equal(p.Args, []string{"make", "test"}) || !p.Runs {
		t.Errorf("%s\nwant\n%s\n%q", got, want, p.Args)
	}
	if _, err := Inside(t.Context(), &Toolchain{flags: "-toolexec=x"}, tools, []string{"make"}, Options{}); !errors.Is(err, ErrToolexec) {
		t.Error(err)
	}
}
