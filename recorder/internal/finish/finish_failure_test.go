package finish_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/eager"
	"tracex/recorder"
	"tracex/recorder/internal/files"
	"tracex/recorder/internal/finish"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/internal/versiontest"
)

// brokenOutput fails after so many bytes.
type brokenOutput struct {
	files.OutFile
	left *int
}

var errBroken = errors.New("this disk is full")

func (b brokenOutput) WriteAt(p []byte, at int64) (int, error) {
	n := min(len(p), *b.left)
	*b.left -= n
	n, err := b.OutFile.WriteAt(p[:n], at)
	if err == nil && n < len(p) {
		err = errBroken
	}
	return n, err
}

// Finish may fail, or be interrupted, at any moment: nothing is lost, and the next one has the
// same result.
func TestInterrupted(t *testing.T) { versiontest.EachVersion(t, testInterrupted) }

func testInterrupted(t *testing.T) {
	_, c := unfinished(t, recorder.Config{})
	whole := tracetest.Snapshot(t, c.Path)
	if _, err := finished(whole); err != nil {
		t.Fatal(err)
	}
	path := tracetest.Snapshot(t, c.Path)
	for bytes, failed := 0, true; failed; bytes += 1 + rand.IntN(4000) {
		left := bytes
		_, err := finish.Finish(path, func(f *os.File) files.OutFile { return brokenOutput{files.Extended{File: f}, &left} })
		if failed = err != nil; failed && !errors.Is(err, errBroken) {
			t.Fatalf("after %d bytes: %v", bytes, err)
		}
		if failed && strings.Contains(err.Error(), "recorder: ") {
			t.Fatalf("the error names package recorder, which adds its name: %v", err)
		}
	}
	for _, suffix := range tracetest.Crashed[:3] {
		want, _ := os.ReadFile(whole + suffix)
		got, err := os.ReadFile(path + suffix)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%s has %d bytes, want %d: %v", suffix, len(got), len(want), err)
		}
	}
}

// A trace that was replaced is not changed.
func TestOfAnother(t *testing.T) {
	_, a := unfinished(t, recorder.Config{})
	path := tracetest.Snapshot(t, a.Path)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, other := range map[string][]byte{
		"longer":  append(b[:len(b):len(b)], "and more than there was"...),
		"shorter": b[:len(b)/2],
	} {
		if err := os.WriteFile(path, other, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := finished(path); err == nil {
			t.Errorf("%s: finished", name)
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, other) {
			t.Errorf("%s: it was changed: %v", name, err)
		}
	}
}

// A live file may be damaged in any way: the result is a readable trace, or nothing is changed.
func TestDamaged(t *testing.T) {
	_, c := unfinished(t, recorder.Config{BlockSize: 1 << 10})
	path := tracetest.Snapshot(t, c.Path)
	files := map[string][]byte{}
	for _, suffix := range tracetest.Crashed {
		b, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		files[suffix] = b
	}
	var used []int // bytes that are not zero
	for i, b := range files[format.LiveSuffix] {
		if b != 0 {
			used = append(used, i)
		}
	}
	rounds := 150
	if !formattest.Exhaustive() || formattest.Race {
		rounds = 30
	}
	done, failed := 0, 0
	for range rounds {
		for suffix, b := range files {
			if err := os.WriteFile(path+suffix, b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		b := bytes.Clone(files[format.LiveSuffix])
		for range 1 + rand.IntN(3) {
			at := used[rand.IntN(len(used))]
			if rand.IntN(2) == 0 {
				at = used[rand.IntN(min(len(used), 400))] // the header and the first regions
			}
			b[at] = byte(rand.Uint32())
		}
		if rand.IntN(10) == 0 {
			b = b[:rand.IntN(len(b))]
		}
		if err := os.WriteFile(path+format.LiveSuffix, b, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := finished(path); err != nil {
			failed++
			continue
		}
		done++
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		forest, err := eager.Load(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		if forest.Problem != nil && !errors.Is(forest.Problem, format.ErrCorrupt) && !errors.Is(forest.Problem, format.ErrTruncated) {
			t.Fatal(forest.Problem)
		}
	}
	if done == 0 || failed == 0 {
		t.Errorf("%d were finished, %d were not", done, failed)
	}
}
