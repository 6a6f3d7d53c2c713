package instrumented_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format/tracefile"
	"tracex/lazy/eager"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/instrument/raw/rawtest"
)

// convertImage converts the bytes of a file, which may be damaged. The trace must be sound.
func convertImage(tb testing.TB, path string, image []byte) (*instrumented.Summary, map[string]string) {
	tb.Helper()
	if err := os.WriteFile(path, image, 0o600); err != nil {
		tb.Fatal(err)
	}
	var data bytes.Buffer
	c, err := instrumented.New(tracefile.Files{Data: &data}, instrumented.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	c.Add(path)
	s, err := c.Finish(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	forest, err := eager.Load(&data)
	if err != nil || forest.Problem != nil {
		tb.Fatal(err, forest)
	}
	return s, threads(tb, forest)
}

// TestTruncated cuts a file at each byte: what is whole before the cut is converted.
func TestTruncated(t *testing.T) {
	p := newProgram(3, rawtest.Options{Clock: raw.ClockNanos, Shift: 12}).run(24)
	whole := p.want()
	path := filepath.Join(t.TempDir(), "a"+raw.Suffix)
	least := int64(0)
	for n := range len(p.Image) + 1 {
		if n > 0 && n < len(p.Image) && p.Image[n-1] == 0 && (p.Image[n] == 0 || n%8 > 0) {
			continue // as much as with a byte less
		}
		s, got := convertImage(t, path, p.Image[:n])
		if s.Calls < least {
			t.Fatalf("%d calls of %d bytes, %d of fewer", s.Calls, n, least)
		}
		least = s.Calls
		for name, calls := range got {
			begins(t, calls, whole[name])
		}
	}
	if least == 0 {
		t.Error("nothing was converted")
	}
}

// begins checks that a thread is the beginning of another one, except for the ends of its calls.
func begins(t *testing.T, calls, whole string) {
	t.Helper()
	got, want := strings.Split(calls, "\n"), strings.Split(whole, "\n")
	for i, line := range got {
		line = strings.TrimSuffix(line, ": <unfinished method>")
		if i >= len(want) || !strings.HasPrefix(want[i], line) {
			t.Fatalf("%s\nis not the beginning of\n%s", calls, whole)
		}
	}
}

// TestDamaged changes bytes of files: the result is a trace, and damage is reported.
func TestDamaged(t *testing.T) {
	rand := rand.New(rand.NewPCG(1, 1))
	told := 0
	path := filepath.Join(t.TempDir(), "a"+raw.Suffix)
	for seed := range uint64(60) {
		p := newProgram(seed, rawtest.Options{Clock: raw.ClockCounter, Shift: 12 + uint32(seed)%3}).run(100)
		values := []byte{0, 1, 0x7f, 0xff, byte(rand.Uint32())}
		from := raw.HeaderSize
		if seed%5 == 0 {
			from = 0
		}
		for range 1 + rand.IntN(20) {
			at := from + rand.IntN(len(p.Image)-from)
			for range 1 + rand.IntN(8) {
				p.Image[min(at, len(p.Image)-1)] = values[rand.IntN(len(values))]
				at++
			}
		}
		s, _ := convertImage(t, path, p.Image)
		told += s.Processes[0].Damaged
	}
	if told == 0 {
		t.Error("no damage was told")
	}
}

// TestNoTimes: a program that recorded no times.
func TestNoTimes(t *testing.T) {
	p := newProgram(9, rawtest.Options{Clock: raw.ClockNone}).run(500)
	s, got := convertImage(t, filepath.Join(t.TempDir(), "a"+raw.Suffix), p.Image)
	compare(t, got, p.want())
	if s.Calls != p.calls || s.Processes[0].Damaged > 0 {
		t.Errorf("%+v", s)
	}
}
