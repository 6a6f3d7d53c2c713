// Package interop records a PHP program with Xdebug and compares what is converted with what Xdebug writes for
// humans of the same program. It runs if TRACEX_INTEROP is set, and needs php with Xdebug 3
// (php-cli and php-xdebug of Debian).
package interop

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/readback"
	"tracex/recorder/convert/sources"
	"tracex/recorder/convert/xdebug"
)

func TestAsForHumans(t *testing.T) {
	if os.Getenv("TRACEX_INTEROP") == "" {
		t.Skip("runs PHP with Xdebug; set TRACEX_INTEROP=1 to run it")
	}
	modules, err := exec.Command("php", "-m").Output()
	if err != nil {
		t.Skip("php is not installed:", err)
	}
	if !strings.Contains(string(modules), "xdebug") {
		t.Skip("php has no Xdebug")
	}
	ours := record(t, 1)
	theirs := strings.Split(string(readFile(t, record(t, 0))), "\n")

	in, err := os.Open(ours)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	trace, sum, err := readback.Convert(t.Context(), &xdebug.Source, sources.Input{Reader: in, Path: ours, Size: -1}, calltrace.Options{})
	if err != nil || len(trace.Threads) != 1 || len(sum.LeftOut) > 0 {
		t.Fatalf("%d threads, left %v, %v", len(trace.Threads), sum.LeftOut, err)
	}
	var got []string
	trace.Threads[0].Walk(func(p *readback.Point, depth int) {
		if !p.Variable {
			args := len(p.Args)
			if p.Name == `Shop\total` {
				args -= 3 // of the rest, which is one for humans
			}
			got = append(got, fmt.Sprintf("%d %s/%d %s", depth, p.Name, args, p.Place))
		}
	})
	want := calls(theirs)
	if len(want) < 30 || strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("converted\n%s\nXdebug prints\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// record runs the program with a trace in a format, and returns its file.
func record(t *testing.T, traceFormat int) string {
	t.Helper()
	dir := t.TempDir()
	c := exec.CommandContext(t.Context(), "php", "-d", "xdebug.mode=trace", "-d", "xdebug.start_with_request=yes", "-d", fmt.Sprintf("xdebug.trace_format=%d", traceFormat),
		"-d", "xdebug.collect_return=1", "-d", "xdebug.use_compression=0", "-d", "xdebug.output_dir="+dir, "-d", "xdebug.trace_output_name=t", "testdata/shop.php")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(dir, "t.xt")
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// callLine is a line of a call: its time and memory, the spaces of its depth, name, arguments and place.
var callLine = regexp.MustCompile(`^ +\d+\.\d+ +\d+ {3}( *)-> (.*?)\((.*)\) (/[^ ].*\.php.*:\d+)$`)

// calls returns the calls of a trace for humans.
func calls(lines []string) (all []string) {
	for _, line := range lines {
		// The place of evaluated code has parentheses.
		line, evaluated := strings.CutSuffix(line, " : eval()'d code:1")
		if evaluated {
			line = strings.Replace(line, ".php(31)", ".php:31", 1)
		}
		m := callLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		place := m[4]
		if evaluated {
			place = strings.Replace(place, ".php:31", ".php(31) : eval()'d code:1", 1)
		}
		name := strings.NewReplacer("->", ".", "::", ".").Replace(m[2])
		args := 0
		if m[3] != "" {
			args = 1 + strings.Count(m[3], ", $") + strings.Count(m[3], ", ...$")
		}
		all = append(all, fmt.Sprintf("%d %s/%d %s", len(m[1])/2, name, args, place))
	}
	return all
}
