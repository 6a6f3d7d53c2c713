package cli

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime/trace"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"
)

// packed compresses a file: packed a.json.gz a.json, by the suffix of the first.
func packed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: packed TO FROM")
	}
	from, err := os.ReadFile(ts.MkAbs(args[1]))
	ts.Check(err)
	var to []byte
	switch filepath.Ext(args[0]) {
	case ".zst":
		w, err := zstd.NewWriter(nil)
		ts.Check(err)
		to = w.EncodeAll(from, nil)
		ts.Check(w.Close())
	case ".gz":
		to = gzipOf(from)
	case ".zip":
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		w, err := z.Create(filepath.Base(args[1]))
		ts.Check(err)
		_, err = w.Write(from)
		ts.Check(errors.Join(err, z.Close()))
		to = b.Bytes()
	case ".utf16":
		for _, c := range utf16.Encode([]rune("\ufeff" + string(from))) {
			to = binary.LittleEndian.AppendUint16(to, c)
		}
	default:
		ts.Fatalf("no compression has the suffix of %s", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), to, 0o644))
}

// grown writes a file with so many bytes in place of GROWN: grown TO FROM BYTES.
func grown(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: grown TO FROM BYTES")
	}
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(ts.ReadFile(args[1]), "GROWN", strings.Repeat("A", n), 1)), 0o644))
}

// gotrace writes an execution trace of this process, with a task and a region: gotrace FILE.
func gotrace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: gotrace FILE")
	}
	var b bytes.Buffer
	ts.Check(trace.Start(&b))
	ctx, task := trace.NewTask(context.Background(), "checkout")
	trace.WithRegion(ctx, "pay", func() { trace.Log(ctx, "card", "1234") })
	task.End()
	trace.Stop()
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o644))
}

// sample copies a file or folder of the tests of a converter: sample chrome/clang.json uftrace/demo. It keeps
// the last name.
func sample(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: sample SOURCE/NAME…")
	}
	for _, arg := range args {
		source, name, _ := strings.Cut(arg, "/")
		from := filepath.Join("..", "recorder", "convert", source, "testdata", name)
		if isDir(from) {
			ts.Check(os.CopyFS(ts.MkAbs(name), os.DirFS(from)))
			continue
		}
		b, err := os.ReadFile(from)
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(name), b, 0o644))
	}
}
