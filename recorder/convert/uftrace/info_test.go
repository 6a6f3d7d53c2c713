package uftrace

import (
	"errors"
	"strings"
	"testing"
	"time"

	"tracex/format"
)

// refused are what is no data directory, or one that is not supported.
var refused = []struct {
	name   string
	change func(d directory)
	err    error
	says   string
}{
	{"no info", func(d directory) { delete(d, infoFile) }, format.ErrNotTrace, "was the recorder killed"},
	{"empty info", func(d directory) { d[infoFile] = "" }, format.ErrNotTrace, `"Ftrace!\x00"`},
	{"other file", func(d directory) { d[infoFile] = strings.Repeat("x", 100) }, format.ErrNotTrace, `"Ftrace!\x00"`},
	{"short header", func(d directory) { d[infoFile] = d[infoFile][:20] }, format.ErrTruncated, "offset 20"},
	{"big endian", func(d directory) { d.setHeader(endianAt, bigEndian) }, format.ErrVersion, "big-endian"},
	{"no byte order", func(d directory) { d.setHeader(endianAt, 7) }, format.ErrVersion, "byte order 7"},
	{"other class", func(d directory) { d.setHeader(classAt, 3) }, format.ErrCorrupt, "found 3"},
	{"older", func(d directory) { d.setHeader(versionAt, 2) }, format.ErrVersion, "version 2"},
	{"newer", func(d directory) { d.setHeader(versionAt, 5) }, format.ErrVersion, "version 5"},
	{"no tasks", func(d directory) { delete(d, tasksFile) }, format.ErrNotTrace, "list of tasks"},
	{"binary tasks", func(d directory) { delete(d, tasksFile); d["task"] = "x" }, format.ErrVersion, "older versions"},
	{"no records", func(d directory) { delete(d, "100.dat") }, format.ErrNotTrace, "1234.dat"},
	{"empty records", func(d directory) { d["100.dat"] = "" }, format.ErrNotTrace, "1234.dat"},
}

func (d directory) setHeader(at int, value byte) {
	b := []byte(d[infoFile])
	b[at] = value
	d[infoFile] = string(b)
}

func TestRefused(t *testing.T) {
	for _, r := range refused {
		d := newDirectory()
		d["100.dat"] = string(story("10 > 0 main\n20 < 0 main"))
		r.change(d)
		_, _, err := d.converted(t)
		var e *format.Error
		if !errors.As(err, &e) || !errors.Is(err, r.err) {
			t.Errorf("%s: %v, want %v", r.name, err, r.err)
			continue
		}
		if said := err.Error() + e.Hint; !strings.Contains(said, r.says) || !strings.HasPrefix(said, "data") {
			t.Errorf("%s: %q does not say %q", r.name, said, r.says)
		}
	}
}

// TestOldFormat: version 3 has the same records, without values.
func TestOldFormat(t *testing.T) {
	d := newDirectory()
	d.setHeader(versionAt, oldestVersion)
	d["100.dat"] = string(story("10 > 0 main\n20 < 0 main"))
	d.expect(t, "# program 100 › main\nmain() @0+10\n")
}

// TestAnchor: the wall time is known if info has the offset of the clock.
func TestAnchor(t *testing.T) {
	for offset, want := range map[string]time.Time{
		"utc_offset:1700000000":           time.Unix(1700000000, 10),
		"utc_offset:nonsense":             time.Unix(0, 0),
		"utc_offset:99999999999999":       time.Unix(0, 0),
		"record_date:Thu Nov 26 00:43:33": time.Unix(0, 0),
	} {
		d := newDirectory(offset)
		d["100.dat"] = string(story("10 > 0 main\n20 < 0 main"))
		trace, _, err := d.converted(t)
		if err != nil || !trace.Anchor.Equal(want) {
			t.Errorf("%s: the anchor is %v, want %v; %v", offset, trace.Anchor, want, err)
		}
	}
}

// TestDeepStack: depths of more than 1,023 are recorded modulo 1,024.
func TestDeepStack(t *testing.T) {
	const deepest = 3000
	var b []byte
	for i := range deepest {
		b = appendRecord(b, uint64(10+i), typeEntry, i, at("f"), nil)
	}
	for i := deepest - 1; i > 1024; i-- {
		b = appendRecord(b, uint64(20_000-i), typeExit, i, at("f"), nil)
	}
	b = appendRecord(b, 30_000, typeExit, 5, at("f"), nil) // 1,029 is gone: it is 5
	d := newDirectory()
	d[infoFile] = header(class64, 0, 65535)
	d["100.dat"] = string(b)
	trace, left, err := d.converted(t)
	if err != nil {
		t.Fatal(err)
	}
	depth := 0
	for p := trace.Threads[0].Roots; len(p) > 0; p = p[0].Children {
		if ended := depth == 5 || depth > 1024; p[0].Unfinished == ended || len(p) != 1 {
			t.Fatalf("at depth %d of %d calls the first ends: %t", depth, len(p), ended)
		}
		depth++
	}
	if depth != deepest || left["calls whose ends were not recorded"] != 1019 {
		t.Errorf("%d calls, left out: %v", depth, left)
	}
}

// TestEstimatedEnds: a recording by --estimate-return has no ends.
func TestEstimatedEnds(t *testing.T) {
	d := newDirectory()
	d[infoFile] = header(class64, featureEstimatedEnds, 1024)
	d["100.dat"] = string(story("10 > 0 main\n20 > 1 f\n30 > 2 g\n40 > 1 h\n50 > 0 main"))
	d.expect(t, `# program 100 › main
main() @0+40
  f() @10+20
    g() @20+10
  h() @30+10
main(): unfinished @40+0
`, "4 calls whose ends were estimated by the recorder's --estimate-return")
}
