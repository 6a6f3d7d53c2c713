package sources

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"tracex/format"
)

func gzipped(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func zstded(t testing.TB, b []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll(b, nil)
}

// text is longer than all buffers of a Content together.
var text = bytes.Repeat([]byte("the quick brown fox, 0123456789\n"), 80_000)

// TestContent: what was packed is read whole, and its beginning is there twice: in Head, and by Read.
func TestContent(t *testing.T) {
	for _, c := range []struct {
		name, packed string
		file, want   []byte
	}{
		{"plain", "", text, text},
		{"empty", "", nil, nil},
		{"short", "", []byte("x"), []byte("x")},
		{"gzip", "gzip", gzipped(t, text), text},
		{"two members", "gzip", append(gzipped(t, text), gzipped(t, []byte("end"))...), append(bytes.Clone(text), "end"...)},
		{"zstd", "zstd", zstded(t, text), text},
		{"gzip of nothing", "gzip", gzipped(t, nil), nil},
		{"both", "gzip in zstd", zstded(t, gzipped(t, text)), text},
		{"ZIP", "ZIP", zippedFiles(t, zip.Deflate, "a/", "", "a/trace.json", string(text), "__MACOSX/a/._trace.json", "x"), text},
		{"ZIP, stored", "ZIP", storedZIP(t, "trace.json", text), text},
		{"ZIP, a folder's file before", "ZIP", zippedFiles(t, zip.Deflate, "a/.DS_Store", "x", "a/trace.json", string(text)), text},
		{"gzip in ZIP", "gzip in ZIP", zippedFiles(t, zip.Deflate, "trace.json.gz", string(gzipped(t, text))), text},
		{"ZIP of nothing", "ZIP", zippedFiles(t, zip.Deflate, "empty.json", ""), nil},
		{"UTF-16", "UTF-16", inUTF16(binary.LittleEndian, "\ufeff"+strings.Repeat("aä€😀\n", 50_000)), []byte("\ufeff" + strings.Repeat("aä€😀\n", 50_000))},
		{"a trace of Xdebug in UTF-16 without a mark", "UTF-16", inUTF16(binary.LittleEndian, "Version: 3.2.0\n"), []byte("Version: 3.2.0\n")},
		{"a trace of Xdebug for humans in UTF-16 without a mark", "UTF-16", inUTF16(binary.BigEndian, "TRACE START [\n"), []byte("TRACE START [\n")},
		{"UTF-16 of another order", "UTF-16", inUTF16(binary.BigEndian, "\ufeff[1]"), []byte("\ufeff[1]")},
		{"UTF-16 without a mark", "UTF-16", inUTF16(binary.LittleEndian, "[{\"a\": 1}]"), []byte("[{\"a\": 1}]")},
		{"halves of pairs", "UTF-16", []byte("\xff\xfea\x00\x3d\xd8b\x00\x00\xdec\x00\x3d\xd8"), []byte("\ufeffa\ufffdb\ufffdc\ufffd")},
		{"UTF-32", "", []byte("\xff\xfe\x00\x00[\x00\x00\x00"), []byte("\xff\xfe\x00\x00[\x00\x00\x00")},
	} {
		for how, r := range map[string]io.Reader{"whole": bytes.NewReader(c.file), "halves": iotest.HalfReader(bytes.NewReader(c.file)), "with the end": iotest.DataErrReader(bytes.NewReader(c.file))} {
			in, err := NewContent(r)
			if err != nil {
				t.Fatalf("%s, %s: %v", c.name, how, err)
			}
			if want := c.want[:min(len(c.want), HeadSize)]; !bytes.Equal(in.Head(), want) {
				t.Errorf("%s, %s: a head of %d bytes", c.name, how, len(in.Head()))
			}
			got, err := io.ReadAll(in)
			if err != nil || !bytes.Equal(got, c.want) {
				t.Errorf("%s, %s: %d bytes, %v", c.name, how, len(got), err)
			}
			if packed := in.Packed(); packed != c.packed {
				t.Errorf("%s: packed by %q", c.name, packed)
			}
			if n := in.Taken(); n != int64(len(c.file)) {
				t.Errorf("%s, %s: %d bytes were taken of %d", c.name, how, n, len(c.file))
			}
			in.Close()
		}
	}
}

// zippedFiles returns a ZIP file of names and contents.
func zippedFiles(t testing.TB, method uint16, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: files[i], Method: method})
		if err == nil {
			_, err = io.WriteString(w, files[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// storedZIP returns a ZIP file of one file, with its size before it.
func storedZIP(t testing.TB, name string, content []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	size := uint64(len(content))
	w, err := z.CreateRaw(&zip.FileHeader{Name: name, CRC32: crc32.ChecksumIEEE(content), CompressedSize64: size, UncompressedSize64: size})
	if err == nil {
		_, err = w.Write(content)
	}
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func inUTF16(order binary.AppendByteOrder, text string) (b []byte) {
	for _, c := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, c)
	}
	return b
}

// TestContentZIP: of a ZIP file with several files the first is read, and the fault names the second; a packed trace is
// left as it is.
func TestContentZIP(t *testing.T) {
	damaged := storedZIP(t, "trace.json", text)
	damaged[len(damaged)/2] ^= 1
	secret, strange := storedZIP(t, "trace.json", text), storedZIP(t, "trace.json", text)
	secret[zipFlagsAt] |= zipEncrypted
	strange[zipMethodAt] = 14
	for _, c := range []struct {
		file []byte
		want string
		is   error
	}{
		{zippedFiles(t, zip.Deflate, "a.json", string(text), "b.json", "[]"), `"b.json"`, format.ErrCorrupt},
		{damaged, "checksum", format.ErrCorrupt},
		{storedZIP(t, "trace.json", text)[:len(text)], "end early", format.ErrTruncated},
		{zippedFiles(t, zip.Deflate, "a.json", string(text))[:1000], "end early", format.ErrTruncated},
		{secret, `"trace.json" needs a password`, format.ErrNotTrace},
		{strange, `"trace.json" is compressed by method 14`, format.ErrNotTrace},
		{zippedFiles(t, zip.Store, "trace.json", string(text)), `"trace.json" is stored without its size`, format.ErrNotTrace},
		{zippedFiles(t, zip.Deflate), "without files", format.ErrNotTrace},
		{zippedFiles(t, zip.Deflate, "a/", ""), "without files", format.ErrNotTrace},
	} {
		in, err := NewContent(bytes.NewReader(c.file))
		if err == nil {
			_, err = io.Copy(io.Discard, in)
			in.Close()
		}
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.want, err)
		}
	}
	packed := zippedFiles(t, zip.Deflate, format.EntryInfo, "x")
	in, err := NewContent(bytes.NewReader(packed))
	if err != nil || in.Packed() != "" || !bytes.Equal(in.Head(), packed) {
		t.Errorf("a packed trace: %v", err)
	}
}

// laterZIP returns a ZIP file of stored files whose sizes follow them.
func laterZIP(t testing.TB, files ...string) []byte { return zippedFiles(t, zip.Store, files...) }

// largeZIP makes the one file of a ZIP file one of 64 bits: its sizes, before it and in the directory, are in extra fields, and so
// is the size of the directory.
func largeZIP(file []byte) []byte {
	const unknown = "\xff\xff\xff\xff"
	extra := func(size []byte) []byte {
		const other = "\x55\x54\x01\x00x" // a field that precedes it
		large := append(bytes.Clone(size), 0, 0, 0, 0)
		return slices.Concat([]byte(other), []byte{1, 0, 16, 0}, large, large)
	}
	at, end := bytes.LastIndex(file, []byte(zipRecord)), bytes.LastIndex(file, []byte(zipEmpty))
	head, record, last := bytes.Clone(file[:at]), bytes.Clone(file[at:end]), bytes.Clone(file[end:])
	name := int(head[zipNameAt])
	x := extra(record[zipRecordPacked:][:4])
	copy(head[zipPackedAt:], unknown+unknown)
	head[zipExtraAt] = byte(len(x))
	head = slices.Insert(head, zipHeaderSize+name, x...)
	copy(record[zipRecordPacked:], unknown+unknown)
	record[zipRecordName+2] = byte(len(x))
	record = slices.Insert(record, zipRecordSize+name, x...)
	large := append([]byte(zipRecord64), make([]byte, zipRecord64Size-len(zipRecord64))...)
	binary.LittleEndian.PutUint64(large[zipDirectory64:], uint64(len(record)))
	copy(last[zipEndDirectory:], unknown)
	return slices.Concat(head, record, large, append([]byte(zipLocator), make([]byte, zipLocatorSize-len(zipLocator))...), last)
}

// TestContentZIPOfFile: of a ZIP file that is no pipe, files are read whose sizes follow them.
func TestContentZIPOfFile(t *testing.T) {
	later := laterZIP(t, "trace.json", string(text))
	other := bytes.Clone(later)
	copy(other[bytes.LastIndex(other, []byte("trace.json")):], "other.json")
	comment := laterZIP(t, "trace.json", string(text))
	binary.LittleEndian.PutUint16(comment[len(comment)-2:], math.MaxUint16)
	comment = append(comment, bytes.Repeat([]byte("c"), math.MaxUint16)...)
	path := filepath.Join(t.TempDir(), "trace.zip")
	for name, c := range map[string]struct {
		file    []byte
		content int // bytes of text
		want    string
		is      error
		pipe    bool // it can be read from a pipe, too
	}{
		"later":             {later, len(text), "", nil, false},
		"beside folders":    {laterZIP(t, "a/", "", "a/.DS_Store", "x", "a/trace.json", string(text), "__MACOSX/a/._trace.json", "y"), len(text), "", nil, false},
		"comment":           {comment, len(text), "", nil, false},
		"empty":             {laterZIP(t, "trace.json", ""), 0, "", nil, false},
		"64 bits":           {largeZIP(storedZIP(t, "trace.json", text)), len(text), "", nil, true},
		"64 bits, later":    {largeZIP(later), len(text), "", nil, false},
		"two":               {laterZIP(t, "a.json", string(text), "b.json", "x"), len(text), `second file "b.json"`, format.ErrCorrupt, false},
		"cut":               {later[:len(text)/2], len(text)/2 - zipHeaderSize - len("trace.json"), "end early", format.ErrTruncated, false},
		"no such directory": {other, 0, `"trace.json" is stored without its size before it, and not in the directory`, format.ErrNotTrace, false},
	} {
		if err := os.WriteFile(path, c.file, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := unpackedFrom(f)
		f.Close()
		if !bytes.Equal(got, text[:c.content]) || !errors.Is(err, c.is) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
		if got, err = unpackedFrom(bytes.NewReader(c.file)); c.pipe != (err == nil && bytes.Equal(got, text)) || !c.pipe && !strings.Contains(err.Error(), "is stored without its size before it") {
			t.Errorf("%s, from a pipe: %d bytes, %v", name, len(got), err)
		}
	}
}

func unpackedFrom(r io.Reader) ([]byte, error) {
	in, err := NewContent(r)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(in)
}

// TestContentHint: what is converted is said only if something can be.
func TestContentHint(t *testing.T) {
	for name, file := range map[string][]byte{"gzip": gzipped(t, text), "zstd": zstded(t, text), "ZIP": zippedFiles(t, zip.Deflate, "trace.json", string(text))} {
		for n := 0; n < len(file)-1; n += 1 + n/50 {
			got, err := unpackedFrom(bytes.NewReader(file[:n+1]))
			var e *format.Error
			if errors.As(err, &e) && (e.Hint == convertedBefore) != (len(got) > 0) {
				t.Errorf("%s: %d of %d bytes are %d: %v", name, n+1, len(file), len(got), err)
			}
		}
	}
}

// FuzzZIPDirectory: the end of a file may be anything.
func FuzzZIPDirectory(f *testing.F) {
	f.Add(laterZIP(f, "a/", "", "a", "x"))
	f.Add(largeZIP(laterZIP(f, "a", "x")))
	path := filepath.Join(f.TempDir(), "a.zip")
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if size, ok := zipStoredSize(file, "a"); size < 0 || !ok && size > 0 {
			t.Errorf("%d %v", size, ok)
		}
	})
}

// TestContentNested: more layers than a person packs are left packed.
func TestContentNested(t *testing.T) {
	b := []byte("x")
	for range mostPacked + 1 {
		b = gzipped(t, b)
	}
	in, err := NewContent(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if head := in.Head(); !bytes.HasPrefix(head, []byte("\x1f\x8b")) {
		t.Errorf("the head is %q", head)
	}
}

// TestContentDamaged: packed data that end early, or are damaged, are a fault of the file with what
// was before it; an error of reading stays one.
func TestContentDamaged(t *testing.T) {
	broken := errors.New("the cable is out")
	for name, pack := range map[string]func(testing.TB, []byte) []byte{"gzip": gzipped, "zstd": zstded} {
		whole := pack(t, text)
		flipped := bytes.Clone(whole)
		for i := len(flipped) - 12; i < len(flipped); i++ {
			flipped[i] ^= 0x55
		}
		for _, c := range []struct {
			what string
			r    io.Reader
			want error
		}{
			{"cut", bytes.NewReader(whole[:len(whole)/2]), format.ErrTruncated},
			{"cut in its header", bytes.NewReader(whole[:6]), format.ErrTruncated},
			{"flipped", bytes.NewReader(flipped), format.ErrCorrupt},
			{"failing", io.MultiReader(bytes.NewReader(whole[:len(whole)/2]), iotest.ErrReader(broken)), broken},
		} {
			in, err := NewContent(c.r)
			var n int64
			if err == nil {
				n, err = io.Copy(io.Discard, in)
				in.Close()
			}
			if !errors.Is(err, c.want) {
				t.Errorf("%s, %s: %v after %d bytes, want %v", name, c.what, err, n, c.want)
			}
			if e := (*format.Error)(nil); errors.As(err, &e) && (!strings.Contains(e.Found, name) || e.Offset <= 0 || e.Offset > int64(len(whole))) {
				t.Errorf("%s, %s: it says %v", name, c.what, err)
			}
		}
	}
}

// TestContentClosed: closing ends the goroutine that unpacks, wherever it is.
func TestContentClosed(t *testing.T) {
	in, err := NewContent(bytes.NewReader(gzipped(t, text)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(in, make([]byte, 3*aheadSize)); err != nil {
		t.Fatal(err)
	}
	in.Close()
	in.Close()
}

// FuzzContent: any bytes end or fail, and what is recognized in them does not depend on more than the head.
func FuzzContent(f *testing.F) {
	f.Add([]byte("plain"))
	f.Add(gzipped(f, []byte(`{"traceEvents":[]}`)))
	f.Add(zstded(f, []byte("[1,2")))
	f.Add(gzipped(f, zstded(f, []byte("x"))))
	f.Fuzz(func(t *testing.T, b []byte) {
		in, err := NewContent(bytes.NewReader(b))
		if err != nil {
			return
		}
		defer in.Close()
		Describe(in.Head())
		head := bytes.Clone(in.Head())
		// A few bytes may unpack to gigabytes.
		got, _ := io.ReadAll(io.LimitReader(in, 1<<20))
		if !bytes.HasPrefix(got, head[:min(len(head), len(got))]) {
			t.Errorf("the head is %q, the content %q", head, got)
		}
	})
}

func BenchmarkContent(b *testing.B) {
	packed := gzipped(b, text)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		in, err := NewContent(bytes.NewReader(packed))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, in); err != nil {
			b.Fatal(err)
		}
		in.Close()
	}
}
