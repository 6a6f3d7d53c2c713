package export

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query"
)

// profiled exports a profile and reads it with pprof's own reader, which checks that all references are there.
func profiled(t *testing.T, j *Job) (*profile.Profile, []byte) {
	t.Helper()
	b := written(t, j, "pprof")
	p, err := profile.ParseData(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckValid(); err != nil {
		t.Fatal(err)
	}
	return p, b
}

// profileSums adds up a profile by functions, as pprof does: a function counts once for a stack.
func profileSums(p *profile.Profile) map[string]topSums {
	sums := make(map[string]topSums)
	for _, s := range p.Sample {
		seen := make(map[string]bool)
		for i, l := range s.Location {
			name := l.Line[0].Function.Name
			x := sums[name]
			if i == 0 {
				x.calls, x.self = x.calls+s.Value[0], x.self+s.Value[1]
			}
			if !seen[name] {
				x.total += s.Value[1]
			}
			seen[name], sums[name] = true, x
		}
	}
	return sums
}

// TestPprof: self, total and calls are those of tracex top, however the pass is cut; of parts and with steps, too.
func TestPprof(t *testing.T) {
	some(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		for name, scope := range scopes(t, r) {
			want, exact := topOf(t, r, scope)
			for n, s := range want {
				if s.own = 0; !exact {
					s.total = 0
				}
				want[n] = s
			}
			for i, share := range shares {
				if i > 0 && name != "all" && name != "merge" {
					break
				}
				j := job(t, r, Options{Scope: scope, Title: name})
				j.share = shareOf(r, share)
				p, _ := profiled(t, j)
				got := profileSums(p)
				for n, s := range got {
					if !exact {
						s.total = 0
					}
					if _, shown := want[n]; s.calls == 0 && s.self == 0 && (!shown || s.total == 0) {
						delete(got, n) // it is only around others, as of a part of a thread
						continue
					}
					got[n] = s
				}
				maps.DeleteFunc(want, func(n string, s topSums) bool { return s == topSums{} })
				if !maps.Equal(got, want) {
					for _, n := range slices.Sorted(maps.Keys(want)) {
						if got[n] != want[n] {
							t.Errorf("%s, share %d: %s has %+v, want %+v", name, share, n, got[n], want[n])
						}
					}
					t.Errorf("%s, share %d: %d functions, want %d", name, share, len(got), len(want))
				}
				if p.Comments[0] != name || p.DefaultSampleType != p.SampleType[1].Type {
					t.Errorf("comments %q, default %q", p.Comments, p.DefaultSampleType)
				}
			}
		}
	})
}

// topLine is a line of go tool pprof -top.
var topLine = regexp.MustCompile(`^\s*([0-9.]+)(ns)?\s+\S+\s+\S+\s+([0-9.]+)(ns)?\s+\S+\s+(.*)$`)

// TestPprofTool: what go tool pprof -top shows of real traces, flat and cum, is what tracex top shows as self and total.
func TestPprofTool(t *testing.T) {
	paths := map[string]string{"shop": shop(t)}
	names := []string{"gson.dump.bin", "deep.stream.bin"}
	if formattest.Exhaustive() {
		names = formattest.RecordedNames(t, ".bin")
	}
	for _, name := range names {
		paths[name] = formattest.Unpack(t, name)
	}
	for name, path := range paths {
		t.Run(name, func(t *testing.T) {
			r := opened(t, path)
			want, exact := topOf(t, r, query.Scope{})
			if !exact {
				t.Fatal("of this trace the numbers may differ")
			}
			_, b := profiled(t, job(t, r, Options{}))
			got := toolTop(t, b)
			for n, s := range want {
				s.calls, s.own = 0, 0
				want[n] = s
			}
			if !maps.Equal(got, want) {
				t.Errorf("pprof shows\n%v\nwant\n%v", got, want)
			}
		})
	}
}

// toolTop runs go tool pprof -top.
func toolTop(t *testing.T, b []byte, flags ...string) map[string]topSums {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.pb.gz")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	args := slices.Concat([]string{"tool", "pprof", "-top", "-nodecount=1000000", "-nodefraction=0", "-edgefraction=0", "-unit=ns"}, flags, []string{path})
	c := exec.Command("go", args...)
	c.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
	out, err := c.Output()
	if err != nil {
		t.Fatalf("go tool pprof: %v", err)
	}
	_, lines, ok := bytes.Cut(out, []byte("cum%\n"))
	if !ok {
		t.Fatalf("%s", out)
	}
	rows := make(map[string]topSums)
	for line := range strings.Lines(string(lines)) {
		m := topLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			t.Fatalf("%q", line)
		}
		flat, err := strconv.ParseInt(m[1], 10, 64)
		cum, err2 := strconv.ParseInt(m[3], 10, 64)
		if err != nil || err2 != nil {
			t.Fatalf("%q", line)
		}
		rows[m[5]] = topSums{self: flat, total: cum}
	}
	return rows
}

// TestPprofLabels: each call is labelled with its value, numbers as such, and pprof can focus on one.
func TestPprofLabels(t *testing.T) {
	path := formattest.File(t, formattest.Spec{Shape: formattest.Random, N: 500, Seed: 6, Timed: true})
	r := opened(t, path)
	for _, label := range []string{"arg.1", "arg.2", "ret", "recv"} {
		j := job(t, r, Options{Label: label})
		j.share = 900
		p, _ := profiled(t, j)
		plain, _ := profiled(t, job(t, r, Options{}))
		if got, want := profileSums(p), profileSums(plain); !maps.Equal(got, want) {
			t.Errorf("%s: the sums differ", label)
		}
		texts, numbers := 0, 0
		for _, s := range p.Sample {
			if len(s.Label["thread"]) != 1 {
				t.Fatalf("labels %v", s.Label)
			}
			texts, numbers = texts+len(s.Label[label]), numbers+len(s.NumLabel[label])
		}
		if texts == 0 || label != "recv" && numbers == 0 {
			t.Errorf("%s: %d texts, %d numbers", label, texts, numbers)
		}
	}
	for label, want := range map[string]string{"arg.0": "arg.1 is the first", "arg.": "arg.1", "size": "is no label", "thread": "is no label"} {
		_, err := job(t, r, Options{Label: label}).Write(t.Context(), ByName("pprof"), new(bytes.Buffer), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", label, err)
		}
	}
	if _, err := job(t, r, Options{Label: "ret", NoValues: true}).Write(t.Context(), ByName("pprof"), new(bytes.Buffer), nil); err == nil {
		t.Error("a label without values")
	}
}

// TestPprofParts: a profile whose samples are written in several parts, as there are too many stacks or labels, has the same
// sums.
func TestPprofParts(t *testing.T) {
	r := opened(t, shop(t))
	profileOf := func(most int) *profile.Profile {
		j := job(t, r, Options{Label: "arg.1"})
		j.share = 300
		var b bytes.Buffer
		o := &output{w: &b}
		p := newPprof(j, o, most)
		if err := p.start(); err != nil {
			t.Fatal(err)
		}
		if err := j.runAll(t.Context(), p, nil); err != nil {
			t.Fatal(err)
		}
		if err := p.finish(); err != nil {
			t.Fatal(err)
		}
		o.flush()
		x, err := profile.ParseData(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	whole, parts := profileOf(0), profileOf(1)
	if got, want := profileSums(parts), profileSums(whole); len(parts.Sample) <= len(whole.Sample) || !maps.Equal(got, want) {
		t.Errorf("%d samples with %v\n%d samples with %v", len(parts.Sample), got, len(whole.Sample), want)
	}
}

// TestPprofPlaces: functions have their files, and a frame the line of the call that is next.
func TestPprofPlaces(t *testing.T) {
	p, _ := profiled(t, job(t, opened(t, shop(t)), Options{}))
	lines := make(map[string]bool)
	for _, l := range p.Location {
		f := l.Line[0].Function
		key := fmt.Sprint(f.Name, " ", f.Filename, ":", l.Line[0].Line)
		if lines[key] {
			t.Errorf("%s twice", key)
		}
		lines[key] = true
	}
	if !lines["Shop.open() main.go:102"] {
		t.Errorf("%v", slices.Sorted(maps.Keys(lines)))
	}
	if p.TimeNanos == 0 || p.DurationNanos == 0 {
		t.Errorf("time %d, duration %d", p.TimeNanos, p.DurationNanos)
	}
}
