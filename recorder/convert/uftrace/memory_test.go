package uftrace

import (
	"context"
	"io"
	"io/fs"
	"runtime"
	"testing"
	"testing/fstest"
	"time"

	"tracex/format/tracefile"
	"tracex/recorder/convert/calltrace"
)

// longFile is a file of records that are made as they are read.
type longFile struct {
	records, made int
	chunk, rest   []byte
}

func (f *longFile) Read(b []byte) (int, error) {
	if len(f.rest) == 0 {
		if f.made >= f.records {
			return 0, io.EOF
		}
		f.chunk = f.chunk[:0]
		for range 1 << 10 {
			// A call in another, over and over.
			time := uint64(1000 + 10*f.made)
			step := f.made % 4
			kind, depth, name := typeEntry, 1, "f"
			switch step {
			case 1:
				depth, name = 2, "g"
			case 2:
				kind, depth, name = typeExit, 2, "g"
			case 3:
				kind = typeExit
			}
			f.chunk = appendRecord(f.chunk, time, kind, depth, at(name), nil)
			f.made++
		}
		f.rest = f.chunk
	}
	n := copy(b, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

func (f *longFile) Close() error               { return nil }
func (f *longFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *longFile) Name() string               { return "100.dat" }
func (f *longFile) Size() int64                { return int64(f.records) * recordSize }
func (f *longFile) Mode() fs.FileMode          { return 0o644 }
func (f *longFile) ModTime() time.Time         { return time.Time{} }
func (f *longFile) IsDir() bool                { return false }
func (f *longFile) Sys() any                   { return nil }

// longDirectory is a directory with such a file.
type longDirectory struct {
	fstest.MapFS
	records int
}

func (d longDirectory) Open(name string) (fs.File, error) {
	if name == "100.dat" {
		return &longFile{records: d.records}, nil
	}
	return d.MapFS.Open(name)
}

func (d longDirectory) Stat(name string) (fs.FileInfo, error) {
	if name == "100.dat" {
		return &longFile{records: d.records}, nil
	}
	return d.MapFS.Stat(name)
}

// convertLong converts so many records, and returns how often it allocated memory.
func convertLong(t testing.TB, records int) (allocations uint64) {
	t.Helper()
	d := newDirectory()
	d["100.dat"] = "a file must be in the list"
	w := calltrace.New(tracefile.Files{Data: io.Discard, Index: io.Discard, Times: io.Discard}, calltrace.Options{})
	defer w.Discard()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := convert(context.Background(), &folder{files: longDirectory{d.files(), records}}, "", nil, w); err != nil {
		t.Fatal(err)
	}
	sum, err := w.Finish(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if want := int64(records / 2); sum.Events != want {
		t.Fatalf("%d calls, want %d", sum.Events, want)
	}
	return after.Mallocs - before.Mallocs
}

// TestMemory: records allocate nothing, only what is read and written at once does.
func TestMemory(t *testing.T) {
	const few, many = 1 << 16, 1 << 18
	a, b := convertLong(t, few), convertLong(t, many)
	if perRecord := (float64(b) - float64(a)) / (many - few); perRecord > 0.05 {
		t.Errorf("memory is allocated %.2f times for each record", perRecord)
	}
}

// BenchmarkGenerated converts a million records without values.
func BenchmarkGenerated(b *testing.B) {
	const records = 1 << 20
	for b.Loop() {
		convertLong(b, records)
	}
	b.SetBytes(records * recordSize)
	b.ReportMetric(float64(records)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrecords/s")
}
