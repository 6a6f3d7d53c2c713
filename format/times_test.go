package format_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tracex/format"
	"tracex/format/formattest"
)

// extremeTimes are cells with the largest differences.
var extremeTimes = []format.TimeCell{
	{ID: -1, Start: math.MinInt64, Duration: math.MaxInt64}, {ID: math.MaxInt32, Start: math.MaxInt64, Duration: math.MaxInt64},
	{ID: math.MinInt32, Start: -1, Duration: math.MinInt64}, {ID: 0, Start: math.MaxInt64, Duration: -1}, {}, {ID: -1},
	{ID: 1 << 20, Start: 1 << 40, Duration: 1<<40 + 3}, {ID: math.MinInt32}, {ID: math.MaxInt32, Start: -7, Duration: format.NoDuration},
}

// sameTimes compares all cells of a file of times, read in sequence and at random, with those wanted.
func sameTimes(t *testing.T, file []byte, want []format.TimeCell) {
	t.Helper()
	if got := formattest.TimeCells(t, file); !slices.Equal(got, want) {
		t.Fatalf("%d cells are not the %d written", len(got), len(want))
	}
	times, err := format.ReadTimes(file)
	if err != nil || times.Cells() != int64(len(want)) {
		t.Fatalf("%d cells, want %d: %v", times.Cells(), len(want), err)
	}
	var near *format.TimesPage
	for n := range int64(len(want)) {
		if n%257 == 0 {
			near = nil
		}
		p, err := times.Page(n, near)
		if err != nil || !p.Has(n) || p.Cells[n-p.First] != want[n] {
			t.Fatalf("cell %d: %v", n, err)
		}
		if again, err := times.Page(n, p); err != nil || again.First != p.First { // which is not before it
			t.Fatalf("cell %d: %v", n, err)
		}
		if n%100 < 90 {
			near = p
		}
	}
}

// TestTimes: cells of all kinds are read as they were written, of both versions, and of files that end anywhere.
func TestTimes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	wild := make([]format.TimeCell, 3000)
	for i := range wild {
		wild[i] = format.TimeCell{ID: int32(rng.Uint32() >> rng.IntN(32)), Start: int64(rng.Uint64() >> rng.IntN(64)), Duration: int64(rng.Uint64()>>rng.IntN(64)) - 1}
	}
	for _, cells := range [][]format.TimeCell{nil, {{ID: 5, Start: 7, Duration: 9}}, extremeTimes, callTimes(10_000), wild} {
		sameTimes(t, formattest.TimesOf(cells...), cells)
		sameTimes(t, formattest.FixedTimesOf(cells...), cells)
		// Now and then others see what is written, or another writer goes on.
		file := formattest.TimesOf()
		w := format.NewTimesWriter(int64(len(file)), 0, false)
		for i, c := range cells {
			switch rng.IntN(100) {
			case 0:
				file = w.End(file)
			case 1:
				w = format.NewTimesWriter(int64(len(file)), int64(i), false)
			}
			file = w.Append(file, c)
			if i%977 == 0 {
				sameTimes(t, file, cells[:i+1])
			}
		}
		sameTimes(t, file, cells)
		sameTimes(t, append(file, make([]byte, 100)...), cells)
	}
	cells := callTimes(500)
	file := formattest.TimesOf(cells...)
	known := 0
	for n := format.TimesHeaderSize; n <= len(file); n++ {
		got := formattest.TimeCells(t, file[:n])
		if len(got) < known || !slices.Equal(got, cells[:len(got)]) {
			t.Fatalf("cut to %d bytes: %d cells", n, len(got))
		}
		known = len(got)
		sameTimes(t, file[:n], got)
	}
	if size := len(formattest.TimesOf(callTimes(10_000)...)); size > 4*10_000 {
		t.Errorf("10,000 calls take %d bytes", size)
	}
}

// TestTimesPages: pages that cannot be where they are, or have something else, are told; nothing is taken for
// another cell's time without a word.
func TestTimesPages(t *testing.T) {
	cells := callTimes(1000)
	file := formattest.TimesOf(cells...)
	pages := (len(file) - format.TimesHeaderSize + format.TimesPageSize - 1) / format.TimesPageSize
	if pages < 4 {
		t.Fatalf("%d pages", pages)
	}
	at := func(page int) int { return format.TimesHeaderSize + page*format.TimesPageSize }
	for name, damage := range map[string]func(b []byte){
		"a number that is too large": func(b []byte) { binary.BigEndian.PutUint64(b[at(2):], 1<<40) },
		"a number that is too small": func(b []byte) { binary.BigEndian.PutUint64(b[at(2):], 3) },
		"a negative number":          func(b []byte) { binary.BigEndian.PutUint64(b[at(1):], math.MaxUint64) },
		"the least and the largest": func(b []byte) {
			binary.BigEndian.PutUint64(b[at(1):], 1<<63)
			binary.BigEndian.PutUint64(b[at(2):], 1<<63-1)
		},
		"swapped pages": func(b []byte) {
			one := bytes.Clone(b[at(1):at(2)])
			copy(b[at(1):at(2)], b[at(2):at(3)])
			copy(b[at(2):at(3)], one)
		},
		"a page of 0":        func(b []byte) { clear(b[at(1):at(2)]) },
		"a page that ends":   func(b []byte) { clear(b[at(1)+100 : at(2)]) },
		"a number too long":  func(b []byte) { copy(b[at(1)+60:], bytes.Repeat([]byte{0xff}, 40)) },
		"an ID of more bits": func(b []byte) { copy(b[at(1)+60:], "\xff\xff\xff\xff\xff\x01") },
	} {
		bad := bytes.Clone(file)
		damage(bad)
		s := format.NewTimesScanner(bytes.NewReader(bad))
		for s.Next() {
		}
		if err := s.Err(); !errors.Is(err, format.ErrCorrupt) {
			t.Errorf("%s: read to the end: %v", name, err)
		}
		times, err := format.ReadTimes(bad)
		if err != nil {
			t.Fatal(err)
		}
		faults := 0
		for n := range times.Cells() {
			p, err := times.Page(n, nil)
			switch {
			case errors.Is(err, format.ErrCorrupt):
				faults++
			case err != nil || !p.Has(n):
				t.Errorf("%s: cell %d: %v", name, n, err)
			}
		}
		if faults == 0 {
			t.Errorf("%s: each cell is found", name)
		}
	}
}

// TestTimesRest: what follows the last cell is told, except bytes of 0 after pages: they are what the system had
// not written yet when it crashed.
func TestTimesRest(t *testing.T) {
	cells := callTimes(1000)
	file := formattest.TimesOf(cells...)
	w := format.NewTimesWriter(int64(len(file)), int64(len(cells)), false)
	whole := w.End(file)
	for name, c := range map[string]struct {
		file  []byte
		cells []format.TimeCell
		rest  bool
	}{
		"nothing":             {file, cells, false},
		"a page's end":        {whole, cells, false},
		"pages of 0":          {append(bytes.Clone(whole), make([]byte, 3*format.TimesPageSize+77)...), cells, false},
		"a part of a cell":    {append(bytes.Clone(file), 0x85), cells, true},
		"after the cells":     {append(bytes.Clone(file), 0, 0, 7), cells, true},
		"a part of a head":    {append(bytes.Clone(whole), 0, 0, 1), cells, true},
		"nothing but a part":  {append(formattest.TimesOf(), 0, 1), nil, true},
		"version 1":           {formattest.FixedTimesOf(cells...), cells, false},
		"version 1, a byte":   {append(formattest.FixedTimesOf(cells...), 0), cells, true},
		"version 1, 19 bytes": {append(formattest.FixedTimesOf(cells...), make([]byte, 19)...), cells, true},
	} {
		sameTimes(t, c.file, c.cells)
		times, err := format.ReadTimes(c.file)
		if err != nil || times.Rest() != c.rest {
			t.Errorf("%s: a rest %v, want %v; %v", name, times.Rest(), c.rest, err)
		}
		s := format.NewTimesScanner(bytes.NewReader(c.file))
		for s.Next() {
		}
		if s.Rest() != c.rest {
			t.Errorf("%s: a rest %v after a scan, want %v", name, s.Rest(), c.rest)
		}
	}
	if err := format.CheckTimes(bytes.NewReader(whole), 0, 999*format.CellSize); err != nil {
		t.Error(err)
	}
	if err := format.CheckTimes(bytes.NewReader(whole), 0, 998*format.CellSize); !errors.Is(err, format.ErrCorrupt) {
		t.Errorf("more cells than an index: %v", err)
	}
	// A page after pages of 0 is none of this file.
	lost := append(append(bytes.Clone(whole), make([]byte, format.TimesPageSize)...), whole[format.TimesHeaderSize:]...)
	s := format.NewTimesScanner(bytes.NewReader(lost))
	for s.Next() {
	}
	if !errors.Is(s.Err(), format.ErrCorrupt) {
		t.Errorf("a page after one of 0: %v", s.Err())
	}
}

// FuzzTimes reads anything as a file of times, in sequence and at random.
func FuzzTimes(f *testing.F) {
	f.Add(formattest.TimesOf(extremeTimes...))
	f.Add(formattest.TimesOf(callTimes(400)...))
	f.Add(formattest.FixedTimesOf(callTimes(20)...))
	f.Fuzz(func(t *testing.T, file []byte) {
		s := format.NewTimesScanner(bytes.NewReader(file))
		var cells []format.TimeCell
		for s.Next() {
			cells = append(cells, s.Cell())
		}
		_, err := format.ReadTimes(file)
		if (err != nil) && s.Err() == nil {
			t.Fatal(err)
		}
		if s.Err() == nil {
			sameTimes(t, file, cells)
		}
	})
}

func TestTimesHeader(t *testing.T) {
	anchor := time.Date(2026, 11, 21, 9, 0, 0, 123456789, time.UTC)
	head := format.AppendTimesHeader(nil, anchor)
	if len(head) != format.TimesHeaderSize {
		t.Fatalf("a header of %d bytes", len(head))
	}
	got, fixed, err := format.DecodeTimesHeader(append(head, "cells"...))
	if err != nil || fixed || !got.Equal(anchor) {
		t.Errorf("%v, %v, %v, want %v", got, fixed, err, anchor)
	}
	if _, fixed, err := format.DecodeTimesHeader(formattest.FixedTimesOf()); err != nil || !fixed {
		t.Errorf("version 1: %v, %v", fixed, err)
	}
	for n := range head {
		if _, _, err := format.DecodeTimesHeader(head[:n]); !errors.Is(err, format.ErrTruncated) {
			t.Errorf("cut to %d bytes: %v", n, err)
		}
	}
	for i := range 16 {
		bad := bytes.Clone(head)
		bad[i] ^= 0x40
		want := format.ErrNotTrace
		if i >= 8 {
			want = format.ErrVersion
		}
		if _, _, err := format.DecodeTimesHeader(bad); !errors.Is(err, want) {
			t.Errorf("byte %d wrong: %v, want %v", i, err, want)
		}
	}
}

func BenchmarkTimes(b *testing.B) {
	cells := callTimes(1_000_000)
	file := formattest.TimesOf(cells...)
	b.Run("write", func(b *testing.B) {
		for b.Loop() {
			w := format.NewTimesWriter(format.TimesHeaderSize, 0, false)
			dst := file[:0:0]
			dst = slices.Grow(dst, len(file))
			for _, c := range cells {
				dst = w.Append(dst, c)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e6, "ns/cell")
		b.ReportMetric(float64(len(file))/1e6, "B/cell")
	})
	b.Run("scan", func(b *testing.B) {
		for b.Loop() {
			for s := format.NewTimesScanner(bytes.NewReader(file)); s.Next(); {
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e6, "ns/cell")
	})
	b.Run("page", func(b *testing.B) {
		times, err := format.ReadTimes(file)
		if err != nil {
			b.Fatal(err)
		}
		n := int64(0)
		for b.Loop() {
			if _, err := times.Page(n, nil); err != nil {
				b.Fatal(err)
			}
			n = (n + 7919) % times.Cells()
		}
	})
}
