package appmap

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/readback"
	"tracex/recorder/convert/sources"
)

// TestKept: what comes through a pipe is read several times, each time with what ended it, and no temporary file is left.
func TestKept(t *testing.T) {
	dir := t.TempDir()
	broken := errors.New("the pipe broke")
	for _, size := range []int{0, 1, keptBlock - 1, keptBlock, 3*keptBlock + 5, keptMemory + 5*keptBlock} {
		text := strings.Repeat("0123456789", size/10+1)[:size]
		for _, ended := range []error{nil, broken} {
			from := io.Reader(strings.NewReader(text))
			if ended != nil {
				from = io.MultiReader(from, iotest.ErrReader(ended))
			}
			k, in, err := keep(t.Context(), sources.Input{Reader: from, Path: "-"}, dir)
			if err != nil {
				t.Fatal(err)
			}
			again, err := k.again()
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range []io.Reader{again, in.Reader, k.blocks()} {
				if got, err := io.ReadAll(r); string(got) != text || err != ended {
					t.Errorf("%d bytes that %v ended: %d bytes, %v", size, ended, len(got), err)
				}
			}
			k.close()
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("left %v", left)
			}
		}
	}
}

// TestKeptWhere: a temporary file that cannot be written, and the end of the context, are no faults of the input.
func TestKeptWhere(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	large := `{"events":[` + call(1, "1", "a", `,"comment":"`+strings.Repeat("x", keptMemory+1<<20)+`"`) + `]}`
	convert := func(ctx context.Context) (err error) {
		_, _, err = readback.Convert(ctx, &Source, sources.Input{Reader: strings.NewReader(large), Path: "-"}, calltrace.Options{TempDir: none})
		return err
	}
	if err := convert(t.Context()); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "temporary file in "+none) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := convert(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestPipe: a pipe gives the same trace as a file, whole or cut at any byte.
func TestPipe(t *testing.T) {
	text := document(call(1, "1", "a", ""), call(2, "1", "b", ""), end(1, "1", "9", ""), call(3, "1", "c", ""), end(2, "1", "4", ""), end(3, "1", "1", ""))
	path := filepath.Join(t.TempDir(), "a.appmap.json")
	for n := range len(text) {
		part := text[:n+1]
		if err := os.WriteFile(path, []byte(part), 0o600); err != nil {
			t.Fatal(err)
		}
		var got [2]string
		for i, name := range []string{path, "-"} {
			trace, sum, err := readback.Convert(t.Context(), &Source, sources.Input{Reader: struct{ io.Reader }{strings.NewReader(part)}, Path: name, Size: -1}, calltrace.Options{})
			if (err == nil) != (n+1 == len(text)) || err != nil && !errors.Is(err, format.ErrTruncated) && !errors.Is(err, format.ErrCorrupt) {
				t.Fatal(err)
			}
			got[i] = readback.Story(trace) + readback.Left(sum)
		}
		if got[0] != got[1] {
			t.Errorf("%d bytes: of a file\n%sof a pipe\n%s", n+1, got[0], got[1])
		}
	}
}
