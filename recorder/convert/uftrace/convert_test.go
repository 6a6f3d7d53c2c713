package uftrace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"tracex/format/tracefile"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/readback"
)

// TestCancel: a conversion ends when its context does, with the cause.
func TestCancel(t *testing.T) {
	d := newDirectory()
	d["100.dat"] = string(story("10 > 0 main\n20 < 0 main"))
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	w := calltrace.New(tracefile.Files{Data: io.Discard, Index: io.Discard, Times: io.Discard}, calltrace.Options{})
	defer w.Discard()
	// While the records are read.
	err := convert(ctx, &folder{files: d.files()}, "", func(int64) { cancel(enough) }, w)
	if !errors.Is(err, enough) {
		t.Errorf("the conversion ends with %v", err)
	}
	// Before.
	if err := convert(ctx, &folder{files: d.files()}, "", nil, w); !errors.Is(err, enough) {
		t.Errorf("another conversion ends with %v", err)
	}
}

// TestFailingFiles: a failure of the trace's files ends the conversion.
func TestFailingFiles(t *testing.T) {
	d := newDirectory()
	var b []byte
	for i := range 200_000 {
		b = appendRecord(b, uint64(10+i), i%2, 0, at("f"), nil)
	}
	d["100.dat"] = string(b)
	full := errors.New("full")
	w := calltrace.New(tracefile.Files{Data: failing{full}, Index: io.Discard, Times: io.Discard}, calltrace.Options{})
	defer w.Discard()
	err := convert(context.Background(), &folder{files: d.files()}, "", nil, w)
	if _, finish := w.Finish(context.Background()); !errors.Is(err, full) && !errors.Is(finish, full) {
		t.Errorf("the conversion ends with %v, the trace with %v", err, finish)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestPrefix: the names of all threads begin with it.
func TestPrefix(t *testing.T) {
	d := newDirectory()
	d[tasksFile] = "" // so that no program is known
	d["100.dat"] = string(story("10 > 0 main\n20 < 0 main"))
	var data, index, times bytes.Buffer
	w := calltrace.New(tracefile.Files{Data: &data, Index: &index, Times: &times}, calltrace.Options{})
	defer w.Discard()
	if err := convert(context.Background(), &folder{files: d.files()}, "first › ", nil, w); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Finish(context.Background()); err != nil {
		t.Fatal(err)
	}
	trace, err := readback.Read(data.Bytes(), index.Bytes(), times.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := treeOf(trace), fmt.Sprintf("# first › process 100 › main\n<addr %#x>() @0+10\n", at("main")); got != want {
		t.Errorf("got %swant %s", got, want)
	}
}
