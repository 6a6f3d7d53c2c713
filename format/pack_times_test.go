package format_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"tracex/format"
	"tracex/format/formattest"
)

// callTimes returns the cells of n consecutive calls, and a cell without a time now and then.
func callTimes(n int) []format.TimeCell {
	rng := rand.New(rand.NewPCG(1, 2))
	cells := make([]format.TimeCell, n)
	now := int64(0)
	for i := range cells {
		cells[i] = format.TimeCell{ID: int32(i), Start: now + rng.Int64N(40), Duration: 30 + rng.Int64N(40)}
		now = cells[i].Start + cells[i].Duration
		if i%97 == 0 {
			cells[i] = format.TimeCell{ID: int32(i / 97), Duration: format.NoDuration}
		}
	}
	return cells
}

// packWithTimes packs times with data and an index of enough cells for them.
func packWithTimes(t testing.TB, times []byte, level int) []byte {
	t.Helper()
	var out bytes.Buffer
	var done int64
	cells := len(times)/3 + 1 // at most
	index := make([]byte, cells*format.CellSize)
	err := format.Pack(&out, format.PackInput{Info: []byte("Class: C\n"), Data: strings.NewReader("DATA"),
		Index: bytes.NewReader(index), Times: bytes.NewReader(times)}, level, func(n int64) { done = n })
	if err != nil {
		t.Fatal(err)
	}
	if want := int64(len("Class: C\n") + len("DATA") + len(index) + len(times)); done != want {
		t.Errorf("progress ends at %d of %d", done, want)
	}
	return out.Bytes()
}

// Times survive cell for cell, and the ZIP lists the same entries as always.
func TestPackTimes(t *testing.T) {
	many := formattest.TimesOf(callTimes(10_000)...)
	for name, times := range map[string][]byte{
		"header alone": formattest.TimesOf(), "one": formattest.TimesOf(format.TimeCell{ID: 5, Start: 7, Duration: 9}),
		"extremes": formattest.TimesOf(extremeTimes...), "many": many, "whole group": formattest.TimesOf(callTimes(4096)...),
		"all but a byte": many[:len(many)-1], "the begin of a page": many[:format.TimesHeaderSize+3*format.TimesPageSize+5],
		"of version 1": formattest.FixedTimesOf(callTimes(5000)...), "of version 1, cut": formattest.FixedTimesOf(callTimes(50)...)[:111],
	} {
		for _, level := range []int{0, 6, 9} {
			t.Run(fmt.Sprintf("%s/%d", name, level), func(t *testing.T) {
				packed := packWithTimes(t, times, level)
				if got := entryNames(t, packed); !slices.Equal(got, []string{"info.txt", "trace.trace", "trace.idx"}) {
					t.Errorf("the directory lists %q", got)
				}
				p := openPacked(t, packed)
				if len(p.Unknown) > 0 {
					t.Errorf("unknown entries %q", p.Unknown)
				}
				want := formattest.TimesOf(formattest.TimeCells(t, times)...)
				for range 2 { // it can be read again
					if err := iotest.TestReader(p.Times(), want); err != nil {
						t.Error(err)
					}
				}
				if got := entry(t, p, format.EntryData); string(got) != "DATA" {
					t.Errorf("data %q", got)
				}
			})
		}
	}
	if n := len(packWithTimes(t, many, 6)); n > 4*10_000 {
		t.Errorf("10,000 calls take %d bytes", n)
	}
}

func TestPackWithoutTimes(t *testing.T) {
	p := openPacked(t, makeZip(t, zip.Deflate, "trace.trace", "x", "trace.times", "y"))
	if p.Times() != nil || !slices.Equal(p.Unknown, []string{"trace.times"}) {
		t.Errorf("times %v, unknown %q", p.Times(), p.Unknown)
	}
	for _, bad := range []string{"", "no times at all", string(formattest.TimesOf()[:23])} {
		err := format.Pack(io.Discard, format.PackInput{Data: strings.NewReader(""), Index: strings.NewReader(""), Times: strings.NewReader(bad)}, 6, nil)
		if err == nil || !strings.Contains(err.Error(), "trace.times") {
			t.Errorf("times %q: %v", bad, err)
		}
	}
	broken := errors.New("disk on fire")
	for _, in := range []io.Reader{iotest.ErrReader(broken), io.MultiReader(bytes.NewReader(formattest.TimesOf()), iotest.ErrReader(broken))} {
		if err := format.Pack(io.Discard, format.PackInput{Times: in}, 0, nil); !errors.Is(err, broken) {
			t.Errorf("a broken file of times: %v", err)
		}
	}
}

// The entry of times is one that any reader of ZIP files can read, once a directory lists it.
func TestTimesEntryIsAnEntry(t *testing.T) {
	for _, level := range []int{0, 6} {
		packed := packWithTimes(t, formattest.TimesOf(callTimes(5000)...), level)
		size := bytes.Index(packed, []byte("PK\x03\x04\x14\x00\x08\x00\x08\x00\x00\x00\x00\x00")) // of info.txt, with another time
		if size < 100 {
			t.Fatalf("no entry behind that of times: %d", size)
		}
		entry := packed[:size]
		// The descriptor's checksum and sizes go into the directory.
		directory := append([]byte("PK\x01\x02\x14\x00"), entry[4:14]...)
		directory = append(directory, entry[size-12:]...)
		directory = append(directory, entry[26:28]...)
		directory = append(append(directory, make([]byte, 16)...), entry[30:41]...)
		end := binary.LittleEndian.AppendUint32([]byte("PK\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00"), uint32(len(directory)))
		end = append(binary.LittleEndian.AppendUint32(end, uint32(size)), 0, 0)
		file := slices.Concat(entry, directory, end)
		z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		r, err := z.Open("trace.times")
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, r); err != nil || n < 3*5000 {
			t.Errorf("%d bytes, %v", n, err)
		}
	}
}

// Sizes over 4 GiB take 8 bytes each.
func TestTimesDescriptor(t *testing.T) {
	for _, c := range []struct {
		packed, size int64
		want         string
	}{
		{1, 2, "PK\x07\x08\x04\x03\x02\x01" + "\x01\x00\x00\x00" + "\x02\x00\x00\x00"},
		{3, 5 << 32, "PK\x07\x08\x04\x03\x02\x01" + "\x03\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00\x00\x00\x05\x00\x00\x00"},
	} {
		if got := format.Descriptor(0x01020304, c.packed, c.size); string(got) != c.want {
			t.Errorf("%d and %d: %x, want %x", c.packed, c.size, got, c.want)
		}
	}
}

// readTimes reads the times of a packed trace. There must not be more than the limit.
func readTimes(t testing.TB, packed []byte) ([]byte, error) {
	p := openPacked(t, packed)
	r := p.Times()
	if r == nil {
		return nil, nil
	}
	b, err := io.ReadAll(r)
	if err == nil {
		if err := format.CheckTimes(bytes.NewReader(b), p.Size(format.EntryData), p.Size(format.EntryIndex)); err != nil {
			t.Error(err)
		}
	}
	var fault *format.Error
	if err != nil && !(errors.As(err, &fault) && strings.Contains(err.Error(), "trace.times")) {
		t.Errorf("an error that does not say what is wrong: %v", err)
	}
	return b, err
}

// behind makes a packed trace that begins with the given bytes.
func behind(t testing.TB, first []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	out.Write(first)
	z := zip.NewWriter(&out)
	z.SetOffset(int64(len(first)))
	for name, size := range map[string]int{"info.txt": 9, "trace.trace": 4, "trace.idx": 210} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(make([]byte, size))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Damaged times are detected, or not recognized as times; everything else stays the same.
func TestPackedTimesDamage(t *testing.T) {
	times := formattest.TimesOf(callTimes(10)...)
	for _, level := range []int{0, 6} {
		packed := packWithTimes(t, times, level)
		size := bytes.Index(packed, []byte("info.txt")) - 30
		if whole, err := readTimes(t, behind(t, packed[:size])); err != nil || !bytes.Equal(whole, times) {
			t.Fatalf("in another file: %d bytes, %v", len(whole), err)
		}
		for i := range size {
			bad := bytes.Clone(packed)
			bad[i] ^= 0x10
			got, err := readTimes(t, bad)
			if err == nil && got != nil && !bytes.Equal(got, times) {
				t.Errorf("byte %d of %d is wrong, and nothing is said", i, size)
			}
			if got := entry(t, openPacked(t, bad), format.EntryData); string(got) != "DATA" {
				t.Errorf("byte %d of the times is wrong: data %q", i, got)
			}
			if got, err := readTimes(t, behind(t, packed[:i])); err == nil && got != nil && i < size-8 {
				t.Errorf("cut to %d of %d bytes, and nothing is said", i, size)
			}
		}
	}
}

// hiddenTimes makes an entry of times from any deltas.
func hiddenTimes(t testing.TB, deltas []byte) []byte {
	packed := packWithTimes(t, formattest.TimesOf(), 6)
	out := bytes.NewBuffer(bytes.Clone(packed[:41]))
	w, err := flate.NewWriter(out, 6)
	if err != nil {
		panic(err)
	}
	w.Write(deltas)
	w.Close()
	out.WriteString("PK\x07\x08")
	out.Write(binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(deltas)))
	return out.Bytes()
}

// Deltas that no writer writes, with the right checksum.
func TestPackedTimesHostile(t *testing.T) {
	head := string(formattest.TimesOf())
	cells := func(n int) string {
		return string(binary.AppendUvarint(nil, uint64(n))) + strings.Repeat("\x02\x02\x02", n)
	}
	for name, deltas := range map[string]string{
		"nothing":             "",
		"no times":            strings.Repeat("x", 24),
		"another version":     head[:15] + "\x09" + head[16:],
		"no group":            head,
		"a group cut short":   head + "\x05\x02\x02\x02",
		"more than it may":    head + cells(1000) + "\x00",
		"endless":             head + "\xff\xff\xff\xff\xff\xff\xff\x7f" + strings.Repeat("\x02", 4<<20),
		"a long number":       head + strings.Repeat("\xff", 20),
		"a long difference":   head + "\x01\x02" + strings.Repeat("\xff", 20),
		"an ID of 40 bits":    head + "\x01" + string(binary.AppendVarint(nil, 1<<40)) + "\x02\x02\x00",
		"a whole cell behind": head + "\x00" + strings.Repeat("r", 20),
	} {
		if got, err := readTimes(t, behind(t, hiddenTimes(t, []byte(deltas)))); err == nil {
			t.Errorf("%s: read as %d bytes of times", name, len(got))
		}
	}
	if got, err := readTimes(t, behind(t, hiddenTimes(t, []byte(head+cells(3)+cells(7)+"\x00rest")))); err != nil || len(formattest.TimeCells(t, got)) != 10 {
		t.Errorf("what is right: %d bytes, %v", len(got), err)
	}
}

// FuzzPackedTimes reads any deltas; if that succeeds, the result can be packed again.
func FuzzPackedTimes(f *testing.F) {
	f.Add(append(formattest.TimesOf(), 0))
	f.Add(append(formattest.TimesOf(), "\x02\x02\x02\x02\x04\x04\x04\x00tail"...))
	f.Fuzz(func(t *testing.T, deltas []byte) {
		times, err := readTimes(t, behind(t, hiddenTimes(t, deltas)))
		if err != nil {
			return
		}
		if again, err := readTimes(t, packWithTimes(t, times, 6)); err != nil || !bytes.Equal(again, times) {
			t.Errorf("%d bytes become %d: %v", len(times), len(again), err)
		}
	})
}

func BenchmarkPackTimes(b *testing.B) {
	times := formattest.TimesOf(callTimes(1_000_000)...)
	b.SetBytes(int64(len(times)))
	var size int
	for b.Loop() {
		size = len(packWithTimes(b, times, 6))
	}
	b.ReportMetric(float64(size)/1e6, "B/call")
}

func BenchmarkUnpackTimes(b *testing.B) {
	times := formattest.TimesOf(callTimes(1_000_000)...)
	packed := packWithTimes(b, times, 6)
	b.SetBytes(int64(len(times)))
	for b.Loop() {
		if n, err := io.Copy(io.Discard, openPacked(b, packed).Times()); err != nil || n != int64(len(times)) {
			b.Fatal(n, err)
		}
	}
}
