package interop_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tracex/recorder/instrument"
)

// BenchmarkBuild measures how long the tests of other programs take to compile, plain and
// instrumented in turns: with only their imports in the build cache, and with everything in it.
func BenchmarkBuild(b *testing.B) {
	needed(b)
	for _, module := range []string{"github.com/google/btree@v1.1.3", "github.com/spf13/cobra@v1.10.2", "github.com/itchyny/gojq@v0.12.17", "go.etcd.io/bbolt@v1.5.0"} {
		name, _, _ := strings.Cut(module, "@")
		b.Run(filepath.Base(name), func(b *testing.B) {
			dir := fetch(b, module)
			var first, again, firstPlain, againPlain []time.Duration
			const rounds = 5
			for range rounds {
				cache := warm(b, dir)
				firstPlain = append(firstPlain, compiles(b, dir, cache, false))
				first = append(first, compiles(b, dir, cache, true))
				againPlain = append(againPlain, compiles(b, dir, cache, false))
				again = append(again, compiles(b, dir, cache, true))
				os.RemoveAll(cache)
			}
			self := func(d time.Duration) time.Duration { return d }
			for b.Loop() {
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(firstPlain, self).Seconds(), "plain-s")
			b.ReportMetric(median(first, self).Seconds(), "instrumented-s")
			b.ReportMetric(median(againPlain, self).Seconds(), "plain-again-s")
			b.ReportMetric(median(again, self).Seconds(), "instrumented-again-s")
		})
	}
}

// warm returns a build cache that has what the tests of a module import.
func warm(b *testing.B, dir string) (cache string) {
	b.Helper()
	cache = b.TempDir()
	list := exec.Command("go", "list", "-deps", "-test", "-f", `{{with .Module}}{{if not .Main}}{{$.ImportPath}}{{end}}{{else}}{{if .Standard}}{{.ImportPath}}{{end}}{{end}}`, "./...")
	list.Dir = dir
	out, err := list.Output()
	if err != nil {
		b.Fatal(err)
	}
	c := exec.Command("go", append([]string{"build"}, strings.Fields(string(out))...)...)
	c.Dir, c.Env = dir, append(os.Environ(), "GOCACHE="+cache, "GOWORK=off")
	if out, err := c.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return cache
}

// compiles compiles the tests of a module, runs none of them, and returns how long that took.
func compiles(b *testing.B, dir, cache string, instrumented bool) time.Duration {
	b.Helper()
	command := []string{"go", "test", "-count=1", "-run", "^$", "-vet=off", "./..."}
	if instrumented {
		command = append([]string{program(b), "record", "-o", filepath.Join(cache, "trace.bin"), "--force", "--"}, command...)
	}
	c := exec.Command(command[0], command[1:]...)
	c.Dir, c.Env = dir, append(os.Environ(), "GOCACHE="+cache, "GOFLAGS=", "GOWORK=off")
	began := time.Now()
	if out, err := c.CombinedOutput(); err != nil && !strings.Contains(string(out), "no trace written") {
		b.Fatalf("%v: %s", err, out)
	}
	return time.Since(began)
}

// BenchmarkWrapper measures what the wrapper adds to each run of a tool.
func BenchmarkWrapper(b *testing.B) {
	needed(b)
	toolchain, err := instrument.FindToolchain(b.Context(), []string{"go", "test"})
	if err != nil {
		b.Fatal(err)
	}
	tools, err := instrument.MakeTools(b.Context(), toolchain)
	if err != nil {
		b.Fatal(err)
	}
	compile, err := exec.Command("go", "tool", "-n", "compile").Output()
	if err != nil {
		b.Fatal(err)
	}
	var plain, wrapped time.Duration
	for b.Loop() {
		plain += runs(b, strings.TrimSpace(string(compile)), "-V=full")
		wrapped += runs(b, tools.Wrapper, strings.TrimSpace(string(compile)), "-V=full")
	}
	b.ReportMetric(float64(wrapped-plain)/float64(b.N), "ns/tool")
}

func runs(b *testing.B, command ...string) time.Duration {
	began := time.Now()
	if err := exec.Command(command[0], command[1:]...).Run(); err != nil {
		b.Fatal(err)
	}
	return time.Since(began)
}
