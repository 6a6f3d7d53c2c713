package format_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"tracex/format"
	"tracex/format/formattest"
)

func openPacked(t testing.TB, b []byte) *format.Packed {
	t.Helper()
	p, err := format.OpenPacked(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func entry(t testing.TB, p *format.Packed, name string) []byte {
	t.Helper()
	r, err := p.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Each recorded packed trace opens, holds a complete trace, and packed again has the same
// entries in the same order with the same bytes, at every level.
func TestPackRepeatsRecorded(t *testing.T) {
	for _, name := range formattest.RecordedNames(t, ".packedtrace") {
		t.Run(name, func(t *testing.T) {
			recorded := formattest.Recorded(t, name)
			p := openPacked(t, recorded)
			if want := strings.HasPrefix(name, "diff-"); p.IsDiff() != want {
				t.Errorf("diff: %v, want %v", p.IsDiff(), want)
			}
			if len(p.Unknown) > 0 {
				t.Errorf("unknown entries %q", p.Unknown)
			}
			if _, err := format.CheckDataHeader(entry(t, p, format.EntryData)); err != nil {
				t.Error(err)
			}
			if _, err := format.CheckIndexHeader(entry(t, p, format.EntryIndex)); err != nil {
				t.Error(err)
			}
			stored := len(packAgain(t, p, 0))
			for _, level := range []int{0, 1, 9} {
				if formattest.Race && level == 9 {
					continue
				}
				packed := packAgain(t, p, level)
				if got, want := packedNames(t, packed), entryNames(t, recorded); !slices.Equal(got, want) {
					t.Errorf("entries %q, want %q", got, want)
				}
				again := openPacked(t, packed)
				for _, e := range entryNames(t, recorded) {
					if got, want := entry(t, again, e), entry(t, p, e); !bytes.Equal(got, want) {
						t.Errorf("level %d, %s: %d bytes, want %d", level, e, len(got), len(want))
					}
				}
				if smaller := len(packed) < stored*9/10; smaller != (level > 0) {
					t.Errorf("level %d: %d bytes, recorded %d", level, len(packed), len(recorded))
				}
			}
		})
	}
}

func packAgain(t *testing.T, p *format.Packed, level int) []byte {
	t.Helper()
	in := format.PackInput{Info: entry(t, p, format.EntryInfo), Modified: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC),
		Data: bytes.NewReader(entry(t, p, format.EntryData)), Index: bytes.NewReader(entry(t, p, format.EntryIndex))}
	total := p.Size(format.EntryInfo) + p.Size(format.EntryData) + p.Size(format.EntryIndex)
	if p.IsDiff() {
		in.Diff = &format.PackDiff{LeftInfo: entry(t, p, format.EntryLeftInfo), RightInfo: entry(t, p, format.EntryRightInfo),
			EventMap: bytes.NewReader(entry(t, p, format.EntryEventMap)), ThreadMap: bytes.NewReader(entry(t, p, format.EntryThreadMap))}
		total += p.Size(format.EntryLeftInfo) + p.Size(format.EntryRightInfo) + p.Size(format.EntryEventMap) + p.Size(format.EntryThreadMap)
	}
	var out bytes.Buffer
	var last int64
	if err := format.Pack(&out, in, level, func(done int64) {
		if done < last {
			t.Errorf("progress goes back from %d to %d", last, done)
		}
		last = done
	}); err != nil {
		t.Fatal(err)
	}
	if last != total {
		t.Errorf("progress ends at %d of %d", last, total)
	}
	return out.Bytes()
}

func entryNames(t *testing.T, b []byte) []string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range z.File {
		names = append(names, f.Name)
	}
	return names
}

// packedNames is entryNames for our own packed traces.
func packedNames(t *testing.T, b []byte) []string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		// The reference writes deflate, with sizes after the data.
		if f.Method != zip.Deflate || f.Flags&8 == 0 {
			t.Errorf("%s: method %d, flags %x", f.Name, f.Method, f.Flags)
		}
	}
	return entryNames(t, b)
}

func TestInfoRecorded(t *testing.T) {
	for _, name := range formattest.RecordedNames(t, ".packedtrace") {
		p := openPacked(t, formattest.Recorded(t, name))
		for _, e := range []string{format.EntryInfo, format.EntryLeftInfo, format.EntryRightInfo} {
			if !p.Has(e) {
				continue
			}
			text := entry(t, p, e)
			info, err := format.ParseInfo(text)
			if err != nil {
				t.Fatal(err)
			}
			if got := info.Append(nil); !bytes.Equal(got, text) {
				t.Errorf("%s, %s: %q, want %q", name, e, got, text)
			}
			if strings.Contains(name, ".v27.") { // the recorded ones were cut down to a few lines
				if info.Start < 1e12 || info.Points == nil || *info.Points <= 0 || len(info.Properties) == 0 || len(info.Environment) == 0 || info.Odd != nil {
					t.Errorf("%s, %s: %+v", name, e, info)
				}
				continue
			}
			if info.Start < 1e12 || info.End < info.Start || len(info.Properties) < 5 || len(info.Environment) < 2 || info.Odd != nil || info.Points != nil {
				t.Errorf("%s, %s: %+v", name, e, info)
			}
			if i := slices.IndexFunc(info.Properties, func(p format.Pair) bool { return p.Key == "line.separator" }); i < 0 || info.Properties[i].Value != "\n" {
				t.Errorf("%s, %s: no line.separator that is a line feed", name, e)
			}
		}
	}
}

func TestInfoRoundTrip(t *testing.T) {
	want := &format.Info{Class: "a.B$C", Method: "<init>", Start: -1, End: 1 << 62, JVMArgs: `"-Dx=a b" \\`, AgentArgs: "",
		Properties:  []format.Pair{{"", "empty key"}, {"=C:", `C:\dir`}, {`back\slash`, `\`}, {"k", "a\r\n\tb=c"}, {"é漢👍", "\x00\x1b"}, {"e", ""}},
		Environment: []format.Pair{{"PATH", "/bin:/usr/bin"}, {"r", `\r`}},
	}
	got, err := format.ParseInfo(want.Append(nil))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n got %+v\nwant %+v", err, got, want)
	}
	broken := &format.Info{Class: "a\nb", Properties: []format.Pair{{"k\r\nl", "v"}}}
	got, err = format.ParseInfo(broken.Append(nil))
	if err != nil || got.Class != "a b" || got.Properties[0].Key != "k l" || got.Odd != nil {
		t.Errorf("line breaks where none may be: %v, %+v", err, got)
	}
}

func TestInfoOdd(t *testing.T) {
	text := "Method: m\r\nClass: c\rStart time: soon\nnonsense\nEnd time: 7\n stray=1\nProperties:\n a=1\n no equals\n\nEnvironment:\n b=2\\"
	got, err := format.ParseInfo([]byte(text))
	want := &format.Info{Class: "c", Method: "m", End: 7, Properties: []format.Pair{{"a", "1"}}, Environment: []format.Pair{{"b", "2"}},
		Odd: []string{"Start time: soon", "nonsense", " stray=1", " no equals"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n got %+v\nwant %+v", err, got, want)
	}
	for _, bad := range []string{"", "\n\n", "hello\nworld", "\x00\xff"} {
		if _, err := format.ParseInfo([]byte(bad)); !errors.Is(err, format.ErrCorrupt) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestDiffMaps(t *testing.T) {
	p := openPacked(t, formattest.Recorded(t, "diff-gson.packedtrace"))
	threads, err := p.ThreadMap()
	if err != nil || !slices.Equal(threads, []format.ThreadMatch{{Thread: 0, Left: 0, Right: 0}}) {
		t.Errorf("%v, %v", threads, err)
	}
	if got := format.AppendThreadMap(nil, threads); !bytes.Equal(got, entry(t, p, format.EntryThreadMap)) {
		t.Errorf("thread map %x", got)
	}
	raw := entry(t, p, format.EntryEventMap)
	events, err := format.ReadEventMap(iotest.HalfReader(bytes.NewReader(raw)))
	if err != nil || !bytes.Equal(format.AppendEventMap(nil, events), raw) {
		t.Errorf("%d events, %v", len(events), err)
	}
	if got := format.DecodeEventMatch(raw[8*7:]); got != events[7] || got != (format.EventMatch{Left: 7, Right: 7}) {
		t.Errorf("event 7: %v", got)
	}
	// There is a match for each point of the diff, and each point that is only in one trace has
	// a status for it.
	s := format.NewBytesScanner(entry(t, p, format.EntryData))
	points := 0
	for s.Next() {
		if s.Object().Kind != format.KindTracePoint {
			continue
		}
		var pt format.Point
		if _, err := format.V22.DecodePoint(s.Object().Bytes, &pt); err != nil {
			t.Fatal(err)
		}
		points++
		m := events[pt.Event]
		if pt.Diff == format.DiffRemoved && m.Right != -1 || pt.Diff == format.DiffAdded && m.Left != -1 || m.Left < 0 && m.Right < 0 {
			t.Errorf("event %d: diff %d, match %v", pt.Event, pt.Diff, m)
		}
	}
	if s.Err() != nil || points != len(events) {
		t.Errorf("%v: %d points, %d matches", s.Err(), points, len(events))
	}
	for _, cut := range []int{1, 7, len(raw) - 3} {
		if got, err := format.ReadEventMap(bytes.NewReader(raw[:cut])); !errors.Is(err, format.ErrTruncated) || len(got) != cut/8 {
			t.Errorf("cut at %d: %d events, %v", cut, len(got), err)
		}
	}
	for _, bad := range []string{"", "\x00", "\x7f\xff\xff\xff", "\xff\xff\xff\xff", "\x00\x00\x00\x02abcdefghijkl"} {
		if _, err := format.DecodeThreadMap([]byte(bad)); err == nil {
			t.Errorf("thread map %q: no error", bad)
		}
	}
	left, right, err := p.DiffInfo()
	if err != nil || left == nil || right == nil || left.Method != "gson" {
		t.Errorf("%v, %v, %v", left, right, err)
	}
}

// makeZip makes a ZIP of names and contents.
func makeZip(t testing.TB, method uint16, pairs ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := 0; i < len(pairs); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: pairs[i], Method: method})
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, pairs[i+1])
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestOpenPackedRefuses(t *testing.T) {
	whole := formattest.Recorded(t, "packed.stream.bin.packedtrace")
	for _, c := range []struct {
		name     string
		file     []byte
		is       error
		contains string
		hint     string
	}{
		{"empty", nil, format.ErrNotTrace, "directory", "cut short"},
		{"cut short", whole[:len(whole)-30], format.ErrNotTrace, "directory", "cut short"},
		{"a ZIP of nothing", makeZip(t, zip.Store), format.ErrNotPacked, "no entries", ""},
		{"another ZIP", makeZip(t, zip.Store, "META-INF/MANIFEST.MF", "x", "a/", "", "b", "", "c", ""), format.ErrNotPacked, "and 1 more", ""},
		{"data twice", makeZip(t, zip.Store, "trace.trace", "x", "trace.trace", "y"), format.ErrCorrupt, "trace.trace twice", ""},
	} {
		_, err := format.OpenPacked(bytes.NewReader(c.file), int64(len(c.file)))
		if !errors.Is(err, c.is) || !strings.Contains(fmt.Sprint(err), c.contains) || !strings.Contains(format.Hint(err), c.hint) {
			t.Errorf("%s: %v; hint %q", c.name, err, format.Hint(err))
		}
	}
}

func TestPackedTolerates(t *testing.T) {
	p := openPacked(t, makeZip(t, zip.Store, "trace.trace", "DATA", "notes.txt", "x", "dir/", ""))
	info, err := p.Info()
	if info != nil || err != nil || p.IsDiff() || !slices.Equal(p.Unknown, []string{"notes.txt", "dir/"}) {
		t.Errorf("%v, %v, %v, %q", info, err, p.IsDiff(), p.Unknown)
	}
	if got := entry(t, p, "trace.trace"); string(got) != "DATA" {
		t.Errorf("%q", got)
	}
	if _, err := p.Index(); !errors.Is(err, format.ErrTruncated) || !strings.Contains(err.Error(), "trace.idx") {
		t.Error(err)
	}
	if m, err := p.ThreadMap(); m != nil || err != nil {
		t.Errorf("%v, %v", m, err)
	}
}

// A faulty entry is found when it is read, and its error names it.
func TestPackedFaultyEntries(t *testing.T) {
	content := strings.Repeat("trace ", 1000)
	good := makeZip(t, zip.Deflate, "trace.trace", content)
	stored := makeZip(t, zip.Store, "trace.trace", content)
	body := 30 + len("trace.trace") // the first byte after the local header
	dir := bytes.LastIndex(good, []byte("PK\x01\x02"))
	edit := func(b []byte, at int, v ...byte) []byte {
		b = bytes.Clone(b)
		copy(b[at:], v)
		return b
	}
	for _, c := range []struct {
		name     string
		file     []byte
		contains string
	}{
		{"wrong byte, stored", edit(stored, body+5, 'X'), "checksum"},
		{"wrong deflate", edit(good, body, 0xff, 0xff, 0xff), "trace.trace"},
		{"says less than there is", edit(good, dir+24, 1, 0, 0, 0), "trace.trace"},
		{"says more than there is", edit(good, dir+24, 0xff, 0xff, 0xff, 0x7f), "ends early"},
		{"encrypted", edit(good, dir+8, good[dir+8]|1), "encrypted"},
		{"bzip2", edit(good, dir+10, 12, 0), "compression"},
	} {
		p, err := format.OpenPacked(bytes.NewReader(c.file), int64(len(c.file)))
		if err == nil {
			var r io.ReadCloser
			if r, err = p.Data(); err == nil {
				var n int64
				n, err = io.Copy(io.Discard, r)
				if n > int64(len(content)) {
					t.Errorf("%s: %d bytes of %d", c.name, n, len(content))
				}
			}
		}
		if err == nil || !strings.Contains(err.Error(), c.contains) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// An info.txt whose uncompressed size is far larger than its compressed size is not read to its end.
func TestPackedBomb(t *testing.T) {
	bomb := makeZip(t, zip.Deflate, "trace.trace", "x", "info.txt", strings.Repeat("A", 64<<20))
	p := openPacked(t, bomb)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := p.Info(); !errors.Is(err, format.ErrCorrupt) || !strings.Contains(err.Error(), "info.txt") {
		t.Error(err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 80<<20 {
		t.Errorf("%d bytes of memory", took)
	}
}

func TestPackFails(t *testing.T) {
	broken := errors.New("disk on fire")
	in := format.PackInput{Info: []byte("x"), Data: iotest.ErrReader(broken), Index: strings.NewReader("")}
	if err := format.Pack(io.Discard, in, 0, nil); !errors.Is(err, broken) || !strings.Contains(err.Error(), format.EntryData) {
		t.Error(err)
	}
	for _, level := range []int{-1, 10} {
		if err := format.Pack(io.Discard, format.PackInput{}, level, nil); err == nil {
			t.Errorf("level %d: no error", level)
		}
	}
}

// tail keeps the last bytes written, and counts all.
type tail struct {
	b []byte
	n int64
}

func (t *tail) Write(b []byte) (int, error) {
	t.n += int64(len(b))
	if t.b = append(t.b, b...); len(t.b) > 1<<20 {
		t.b = append(t.b[:0], t.b[len(t.b)-1<<16:]...)
	}
	return len(b), nil
}

func (t *tail) ReadAt(b []byte, off int64) (int, error) {
	start := t.n - int64(len(t.b))
	if off < start {
		return 0, errors.New("not kept")
	}
	n := copy(b, t.b[min(off-start, int64(len(t.b))):])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// Data over 4 GiB needs the 64-bit form of a ZIP.
func TestPackHuge(t *testing.T) {
	if testing.Short() {
		t.Skip("packs 4 GiB")
	}
	const size = 1<<32 + 1
	var out tail
	in := format.PackInput{Info: []byte("Class: x\n"), Data: io.LimitReader(zeros{}, size), Index: strings.NewReader("index")}
	if err := format.Pack(&out, in, 0, nil); err != nil {
		t.Fatal(err)
	}
	p, err := format.OpenPacked(&out, out.n)
	if err != nil {
		t.Fatal(err)
	}
	if p.Size(format.EntryData) != size || p.Size(format.EntryIndex) != 5 {
		t.Errorf("%d and %d bytes", p.Size(format.EntryData), p.Size(format.EntryIndex))
	}
	if got := entry(t, p, format.EntryIndex); string(got) != "index" {
		t.Errorf("%q", got)
	}
}
