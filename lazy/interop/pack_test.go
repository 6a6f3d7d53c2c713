package interop

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// packLevels are the levels of deflate that packed traces are tested with.
var packLevels = []int{0, 1, 6, 9}

// The real reader opens each file that we pack, and finds the contents that we put
// in, with or without times.
func TestReferenceOpensPacked(t *testing.T) { eachReference(t, testOpensPacked) }

func testOpensPacked(t *testing.T, r *reference) {
	for _, spec := range []formattest.Spec{
		{Shape: formattest.Calls, N: 3000, Seed: 5, Threads: 3, Own: true},
		{Shape: formattest.Calls, N: 3000, Seed: 5, Threads: 3, Own: true, Timed: true},
		{Shape: formattest.Random, N: 3000, Seed: 6, Own: true, Timed: true, Options: formattest.Options{Dump: true}},
	} {
		spec.Version = r.release.version
		for _, level := range packLevels {
			t.Run(fmt.Sprintf("%s-level%d", spec.Name(), level), func(t *testing.T) {
				data := formattest.File(t, spec)
				info := &format.Info{Class: "com.acme.Main", Method: "run", Start: 1_780_000_000_000, End: 1_780_000_001_000,
					JVMArgs: "-Xmx1g", Properties: []format.Pair{{Key: "a=b", Value: "c\n\\d"}}, Environment: []format.Pair{{Key: "PATH", Value: "/bin"}}}
				if spec.Version >= format.V27 {
					points := int64(spec.N)
					info.Points = &points
				}
				in := format.PackInput{Info: info.Append(nil), Data: openFile(t, data), Index: openFile(t, data+".idx")}
				if spec.Timed {
					in.Times = openFile(t, data+".tim")
				}
				packed := packFile(t, level, in)

				a := r.ask(t, "open-packed", packed)
				accept(t, a)
				if a.Fields["packed"] != "true" || a.Fields["diff"] != "false" {
					t.Errorf("packed %s, diff %s", a.Fields["packed"], a.Fields["diff"])
				}
				sameText(t, a.Fields["info"], string(info.Append(nil)))
				want := r.eager(t, data, true)
				sameText(t, r.eager(t, packed, true), want)
				sameText(t, r.lazily(t, packed, true), want)
			})
		}
	}
}

// Traces that Lincheck packed itself, including the diff, mean the same to it after we
// pack them again, even with times before the entries that it reads.
func TestReferenceOpensPackedAgain(t *testing.T) { eachReference(t, testOpensPackedAgain) }

func testOpensPackedAgain(t *testing.T, r *reference) {
	diffs := 0
	for _, name := range r.release.recorded(t, ".packedtrace") {
		recorded := formattest.Unpack(t, name)
		want := r.ask(t, "open-packed", recorded)
		accept(t, want)
		if want.Fields["diff"] == "true" {
			diffs++
		}
		text := r.lazily(t, recorded, true)
		for i, level := range packLevels {
			t.Run(fmt.Sprintf("%s-level%d", name, level), func(t *testing.T) {
				in := recordedInput(t, name)
				if i > 0 {
					in.Times = bytes.NewReader(someTimes(1000))
				}
				packed := packFile(t, level, in)
				a := r.ask(t, "open-packed", packed)
				accept(t, a)
				for field, value := range want.Fields {
					if a.Fields[field] != value {
						t.Errorf("%s is %.200q, want %.200q", field, a.Fields[field], value)
					}
				}
				sameText(t, r.eager(t, packed, true), text)
				sameText(t, r.lazily(t, packed, true), text)
			})
		}
	}
	if diffs == 0 {
		t.Error("no diff among the recorded packed traces")
	}
}

// Times that are damaged, too short or too long by a byte, or much longer than
// any trace: the real reader ignores them.
func TestReferencePassesTimes(t *testing.T) { eachReference(t, testPassesTimes) }

func testPassesTimes(t *testing.T, r *reference) {
	name := r.release.recordedAs(t, "packed", "stream", ".packedtrace")
	text := r.lazily(t, formattest.Unpack(t, name), true)
	for what, times := range map[string][]byte{
		"none": someTimes(0), "many": someTimes(1_000_000), "part of a cell": someTimes(10)[:format.TimesHeaderSize+50], "of version 1": formattest.FixedTimesOf(formattest.TimeCells(t, someTimes(100))...),
	} {
		for _, damaged := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/damaged=%v", what, damaged), func(t *testing.T) {
				in := recordedInput(t, name)
				in.Times = bytes.NewReader(times)
				packed := packFile(t, 6, in)
				if damaged {
					flip(t, packed, 45) // after the name of the entry
				}
				accept(t, r.ask(t, "open-packed", packed))
				sameText(t, r.lazily(t, packed, true), text)
			})
		}
	}
}

// someTimes makes a file of times with some cells.
func someTimes(cells int) []byte {
	list := make([]format.TimeCell, cells)
	for i := range list {
		list[i] = format.TimeCell{ID: int32(i), Start: int64(i) * 101, Duration: int64(i*i) % 97}
	}
	return formattest.TimesOf(list...)
}

// flip changes a byte of a file.
func flip(t *testing.T, path string, at int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b [1]byte
	if _, err := f.ReadAt(b[:], at); err != nil {
		t.Fatal(err)
	}
	b[0] ^= 0xff
	if _, err := f.WriteAt(b[:], at); err != nil {
		t.Fatal(err)
	}
}

// recordedInput unpacks a recorded packed trace.
func recordedInput(t *testing.T, name string) format.PackInput {
	t.Helper()
	b := formattest.Recorded(t, name)
	p, err := format.OpenPacked(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	entry := func(name string) []byte {
		rc, err := p.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(rc)
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	in := format.PackInput{Info: entry(format.EntryInfo), Data: bytes.NewReader(entry(format.EntryData)), Index: bytes.NewReader(entry(format.EntryIndex))}
	if p.IsDiff() {
		in.Diff = &format.PackDiff{LeftInfo: entry(format.EntryLeftInfo), RightInfo: entry(format.EntryRightInfo),
			EventMap: bytes.NewReader(entry(format.EntryEventMap)), ThreadMap: bytes.NewReader(entry(format.EntryThreadMap))}
	}
	return in
}

func packFile(t *testing.T, level int, in format.PackInput) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.packedtrace")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := format.Pack(f, in, level, nil); err != nil {
		t.Fatal(err)
	}
	return path
}

func openFile(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}
