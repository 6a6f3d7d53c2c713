package format_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"tracex/format"
	"tracex/format/formattest"
)

// smallTraces returns seeds: short traces that together contain everything.
func smallTraces(f *testing.F) (data, index [][]byte) {
	f.Helper()
	data = append(data, formattest.Recorded(f, "roots.dump.bin"))
	index = append(index, formattest.Recorded(f, "roots.dump.bin.idx"))
	data = append(data, formattest.Recorded(f, "roots.v27.stream.bin"))
	index = append(index, formattest.Recorded(f, "roots.v27.stream.bin.idx"))
	for seed := range uint64(8) {
		d, x := formattest.Bytes(f, formattest.Spec{Shape: formattest.Random, N: 30, Seed: seed,
			Options: formattest.Options{BlockSize: 600, Version: versions[seed%2]}})
		data, index = append(data, d), append(index, x)
	}
	return data, index
}

// Any bytes yield an error with an offset or a result, the same in memory and through a reader.
// Decoded objects can be encoded and decoded again, and are the same.
func FuzzScanner(f *testing.F) {
	data, _ := smallTraces(f)
	for _, d := range data {
		f.Add(d)
		f.Add(d[:len(d)/2])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := format.NewBytesScanner(data)
		r := format.NewScanner(iotest.HalfReader(bytes.NewReader(data)))
		for s.Next() {
			o := s.Object()
			if !r.Next() || !reflect.DeepEqual(r.Object(), o) {
				t.Fatalf("through a reader %+v, %v, in memory %+v", r.Object(), r.Err(), o)
			}
			if content(o.Kind) {
				again(t, s.Version(), o)
			}
		}
		if r.Next() || fmt.Sprint(r.Err()) != fmt.Sprint(s.Err()) {
			t.Fatalf("through a reader %v, in memory %v", r.Err(), s.Err())
		}
		if err := s.Err(); err != nil && len(data) > 0 {
			checkError(t, err, len(data))
		}
	})
}

// again decodes an object, encodes it and decodes it once more.
func again(t *testing.T, version format.Version, o format.Object) {
	t.Helper()
	v, n, err := decodeObject(version, o.Bytes, o.Class)
	if err != nil {
		checkError(t, err, len(o.Bytes))
		return
	}
	if n != len(o.Bytes) {
		t.Fatalf("%v: decoded %d bytes of %d", o.Kind, n, len(o.Bytes))
	}
	b, err := v.Append(nil, version)
	if strings.Contains(fmt.Sprint(err), "over 65,535") {
		return // longer in one form than in the other
	}
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := decodeObject(version, b, o.Class)
	if err != nil || !reflect.DeepEqual(v, w) {
		t.Fatalf("%+v, written and read %+v, %v", v, w, err)
	}
}

// Any index: check its tail and its cells, which are the same when written again.
func FuzzIndex(f *testing.F) {
	_, index := smallTraces(f)
	for _, x := range index {
		f.Add(x)
	}
	f.Fuzz(func(t *testing.T, x []byte) {
		_, err := format.CheckIndexHeader(x[:min(len(x), 512)])
		if err != nil && len(x) > 0 {
			checkError(t, err, len(x))
		}
		n, err := format.CheckIndexTail(x[max(0, len(x)-format.IndexTail):], int64(len(x)))
		if err != nil {
			checkError(t, err, len(x))
			return
		}
		if want := int64(len(x)); format.HeaderSize+n*format.CellSize+format.IndexTail != want {
			t.Fatalf("%d cells in %d bytes", n, want)
		}
		for i := range n {
			b := x[format.HeaderSize+i*format.CellSize:][:format.CellSize]
			if got := format.DecodeCell(b).Append(nil); !bytes.Equal(got, b) {
				t.Fatalf("cell %x became %x", b, got)
			}
		}
	})
}

// Any file as a packed trace: no entry yields more than it claims.
func FuzzPacked(f *testing.F) {
	f.Add(formattest.Recorded(f, "packed.stream.bin.packedtrace"))
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		f.Add(makeZip(f, method, "trace.trace", "x", "info.txt", "Class: a\n", ".diff", "", "diff.threadmap", "\x00\x00\x00\x00", "other", "y"))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := format.OpenPacked(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		p.Info()
		p.DiffInfo()
		p.ThreadMap()
		for _, name := range []string{format.EntryData, format.EntryIndex, format.EntryEventMap} {
			r, err := p.Open(name)
			if err != nil {
				continue
			}
			if n, err := io.Copy(io.Discard, io.LimitReader(r, 1<<20)); n > p.Size(name) || err == nil && n < min(p.Size(name), 1<<20) {
				t.Fatalf("%s: %d bytes, claimed are %d, %v", name, n, p.Size(name), err)
			}
			r.Close()
		}
	})
}

// Any text as an info.txt: the result can be written and parsed again.
func FuzzInfo(f *testing.F) {
	p := openPacked(f, formattest.Recorded(f, "packed.stream.bin.packedtrace"))
	f.Add(entry(f, p, format.EntryInfo))
	f.Add([]byte("Class: a\r\nStart time: x\n\nProperties:\n a\\=b=c\\n\\\\\n\nEnvironment:\n =\\"))
	f.Fuzz(func(t *testing.T, text []byte) {
		info, err := format.ParseInfo(text)
		if err != nil {
			checkError(t, err, len(text))
			return
		}
		got, err := format.ParseInfo(info.Append(nil))
		info.Odd = nil
		if err != nil || !reflect.DeepEqual(got, info) {
			t.Fatalf("%v\n got %+v\nwant %+v", err, got, info)
		}
	})
}
