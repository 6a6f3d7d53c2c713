package notes

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tracex/format"
	"tracex/lazy"
)

// newTrace writes a file that could be a trace, and returns its path.
func newTrace(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.bin")
	write(t, path, strings.Repeat("some data of a trace ", 1000))
	return path
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// clock is a time that passes by a second with each look.
type clock struct{ t time.Time }

func (c *clock) now() time.Time {
	c.t = c.t.Add(time.Second)
	return c.t
}

var ticking = &clock{time.Date(2026, 11, 23, 4, 0, 0, 0, time.UTC)}

// open opens the notes of a trace.
func open(t *testing.T, trace string) *Book {
	t.Helper()
	b, err := Open(trace, Options{Author: "ada", Now: ticking.now})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func save(t *testing.T, b *Book) {
	t.Helper()
	if err := b.Save(); err != nil {
		t.Fatal(err)
	}
}

// list spells the items of a book.
func list(b *Book) string {
	var words []string
	for _, it := range b.Items() {
		what := it.Text
		if it.Mark != 0 {
			what = "'" + string(rune(it.Mark))
		}
		words = append(words, it.Handle().String()+" "+what)
	}
	return strings.Join(words, "; ")
}

func at(offset int64) lazy.Position { return lazy.Position{Thread: 1, At: offset} }

// TestBook: what is added is there again after opening the file anew.
func TestBook(t *testing.T) {
	trace := newTrace(t)
	b := open(t, trace)
	b.Mark('x', at(500), 50)
	b.Mark('x', at(100), 10)
	n := b.Put(Item{Text: "a *note* <b> & \"quotes\"\nin two lines ü", At: at(100), Event: 10})
	b.Put(Item{Text: "a thread", At: at(-1), Event: -1})
	s := Session{At: at(7), Line: 3, Raw: true, Details: true, Search: "a.*b", Regex: true, Log: []string{"a: \"{ret}\"", "b"}, Expanded: []lazy.Position{at(-1), at(3)}}
	b.SetSession(s)
	if b.Unsaved() != 3 {
		t.Errorf("%d unsaved", b.Unsaved())
	}
	save(t, b)
	if b.Unsaved() != 0 {
		t.Errorf("%d unsaved after a save", b.Unsaved())
	}
	again := open(t, trace)
	want := "@2 a thread; #10 'x; #10 " + n.Text
	if list(b) != want || list(again) != want {
		t.Errorf("%q and %q, want %q", list(b), list(again), want)
	}
	got := again.Session()
	if s.Time = got.Time; !got.equal(&s) || !got.Some() {
		t.Errorf("session %+v", got)
	}
	if it, ok := again.Marked('x'); !ok || it.Author != "ada" || it.At != at(100) || it.Time.IsZero() {
		t.Errorf("%+v", it)
	}
	before := text(t, trace+format.NotesSuffix)
	if save(t, again); text(t, trace+format.NotesSuffix) != before {
		t.Error("a save without changes has changed the file")
	}
	removed, _ := again.Remove(n.ID)
	save(t, again)
	if again = open(t, trace); list(again) != "@2 a thread; #10 'x" {
		t.Errorf("%q", list(again))
	}
	again.Restore(removed)
	if save(t, again); list(open(t, trace)) != want {
		t.Errorf("%q", list(again))
	}
}

// TestNothingKept: without a change there is no file; nor with NoWrite, nor in memory.
func TestNothingKept(t *testing.T) {
	trace := newTrace(t)
	save(t, open(t, trace))
	quiet, err := Open(trace, Options{NoWrite: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []*Book{quiet, InMemory()} {
		b.Mark('a', at(1), 1)
		b.SetSession(Session{})
		if save(t, b); b.Kept() || b.Unsaved() != 1 {
			t.Errorf("%d unsaved", b.Unsaved())
		}
	}
	if _, err := os.Stat(trace + format.NotesSuffix); !errors.Is(err, fs.ErrNotExist) {
		t.Error("there is a file:", err)
	}
	b := open(t, trace)
	b.Mark('a', at(1), 1)
	save(t, b)
	if quiet, _ = Open(trace, Options{NoWrite: true}); list(quiet) != "#1 'a" {
		t.Errorf("without writing, it reads %q", list(quiet))
	}
}

// TestTwoWriters: a save keeps what another program has changed meanwhile.
func TestTwoWriters(t *testing.T) {
	trace := newTrace(t)
	a := open(t, trace)
	both := a.Put(Item{Text: "both change it", At: at(1), Event: 1})
	gone := a.Put(Item{Text: "b removes it", At: at(2), Event: 2})
	fought := a.Put(Item{Text: "a removes it, b changes it", At: at(3), Event: 3})
	save(t, a)
	b := open(t, trace)
	a.Put(Item{Text: "of a", At: at(10), Event: 10})
	b.Put(Item{Text: "of b", At: at(11), Event: 11})
	both.Text = "changed by a"
	a.Put(both)
	both.Text = "changed by b, later"
	b.Put(both)
	b.Remove(gone.ID)
	a.Remove(fought.ID)
	fought.Text = "still wanted"
	b.Put(fought)
	b.SetSession(Session{At: at(5)})
	save(t, b)
	save(t, a)
	const want = "#1 changed by b, later; #3 still wanted; #10 of a; #11 of b"
	if list(a) != want || list(open(t, trace)) != want {
		t.Errorf("a has %q, the file %q", list(a), list(open(t, trace)))
	}
	if s := a.Session(); s.At != at(5) {
		t.Error("a has lost the session of b")
	}
	if save(t, b); list(b) != want {
		t.Errorf("b has %q", list(b))
	}
	// The file may vanish: all that is known is written again.
	if err := os.Remove(a.Path()); err != nil {
		t.Fatal(err)
	}
	if save(t, a); list(open(t, trace)) != want {
		t.Errorf("after the file was removed: %q", list(open(t, trace)))
	}
}

// TestOtherTrace: notes of another trace stay as they are until there is something to write; then they are moved
// aside, whole. A book whose trace was replaced does not write into the notes of the new one. Those of the same trace fit when it has grown.
func TestOtherTrace(t *testing.T) {
	trace := newTrace(t)
	b := open(t, trace)
	b.Mark('a', at(1), 1)
	save(t, b)
	data := text(t, trace)
	write(t, trace, data+"it has grown")
	if list(open(t, trace)) != "#1 'a" {
		t.Error("the notes do not fit the trace after it has grown")
	}
	kept := text(t, b.Path())
	for name, other := range map[string]string{
		"shorter":                data[:len(data)/2],
		"another beginning":      "S" + data[1:],
		"another second half":    data[:len(data)/2] + strings.ToUpper(data[len(data)/2:]),
		"another, which is long": strings.Repeat("other data", 9000),
	} {
		write(t, trace, other)
		b.Mark('c', at(3), 3)
		if err := b.Save(); !errors.Is(err, ErrOtherTrace) {
			t.Errorf("%s, replaced under a book: %v", name, err)
		}
		o := open(t, trace)
		aside := o.Aside()
		if save(t, o); aside == "" || list(o) != "" || text(t, o.Path()) != kept || o.Aside() != aside {
			t.Errorf("%s: %q and %q, before there is anything to write", name, aside, list(o))
		}
		if _, err := os.Lstat(aside); err == nil {
			t.Errorf("%s: %s is there already", name, aside)
		}
		o.Mark('b', at(2), 2)
		if save(t, o); text(t, aside) != kept || o.Aside() != "" || list(open(t, trace)) != "#2 'b" {
			t.Errorf("%s: %q in place of the other notes", name, list(open(t, trace)))
		}
		o.Mark('d', at(4), 4)
		if save(t, o); list(open(t, trace)) != "#2 'b; #4 'd" {
			t.Errorf("%s: %q", name, list(open(t, trace)))
		}
		write(t, o.Path(), kept)
		quiet, err := Open(trace, Options{NoWrite: true})
		if err != nil || quiet.Aside() != "" || list(quiet) != "" {
			t.Errorf("%s, without writing: %q, %v", name, list(quiet), err)
		}
	}
}

// TestOtherSession: where the explorer was left in another trace is replaced, as long as the file has nothing else.
func TestOtherSession(t *testing.T) {
	trace := newTrace(t)
	b := open(t, trace)
	b.SetSession(Session{At: at(1), Line: 7})
	save(t, b)
	left := text(t, b.Path())
	write(t, trace, strings.Repeat("other data", 9000))
	o := open(t, trace)
	if s := o.Session(); s.Some() || o.Aside() != "" {
		t.Errorf("continues at %+v of another trace", s)
	}
	save(t, o)
	if text(t, o.Path()) != left {
		t.Error("changed the file without a reason")
	}
	write(t, o.Path(), strings.Replace(left, `"head":"`, `"head":"0`, 1))
	o.Mark('a', at(2), 2)
	if err := o.Save(); err == nil {
		t.Error("replaced the session of a third trace")
	}
	write(t, o.Path(), left)
	save(t, o)
	if again := open(t, trace); list(again) != "#2 'a" || again.Session().At != (lazy.Position{}) {
		t.Errorf("kept %q", list(again))
	}
	for _, more := range []string{`{"flag":1}`, `{"session":{"at":"@2+8","x":1},"time":"2036-11-23T04:30:00Z"}`} {
		write(t, o.Path(), left+more+"\n")
		if open(t, trace).Aside() == "" {
			t.Errorf("a file with %s would be replaced", more)
		}
	}
}

// TestRefused: files that are no notes, or of a later version, are left alone.
func TestRefused(t *testing.T) {
	trace := newTrace(t)
	path := trace + format.NotesSuffix
	for content, want := range map[string]error{
		"my shopping list\n": ErrNotNotes,
		`{"tracex":"notes","version":2,"trace":{"size":1,"head":"00000000","middle":"00000000"}}`: ErrVersion,
		`{"tracex":"notes","version":1}`: ErrNotNotes,
	} {
		write(t, path, content)
		b, err := Open(trace, Options{})
		b.Mark('a', at(1), 1)
		if saved := b.Save(); !errors.Is(err, want) || !errors.Is(saved, want) || text(t, path) != content {
			t.Errorf("%s: %v, then %v", content, err, saved)
		}
	}
	if err := os.Truncate(path, maxFile+1); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(trace, Options{}); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(trace, Options{}); !errors.Is(err, ErrNotNotes) {
		t.Error(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	write(t, path, "")
	b := open(t, trace)
	b.Mark('a', at(1), 1)
	if save(t, b); list(open(t, trace)) != "#1 'a" {
		t.Error("an empty file is not used")
	}
}

// TestDamagedLines: lines that cannot be read stay in the file, and so does what a later version
// has written; the rest is used.
func TestDamagedLines(t *testing.T) {
	trace := newTrace(t)
	b := open(t, trace)
	b.Put(Item{Text: "one", At: at(1), Event: 1})
	b.SetSession(Session{At: at(1)})
	save(t, b)
	damaged := []string{
		`{"id":"x","note":"cut off`, "\xff\xfe", `[]`, `{"id":"mark-b","mark":"c","thread":1}`, `{"id":"y","note":"z","thread":0}`,
		`{"id":"y","note":"z","thread":1,"event":3}`, `{"id":"y","note":"z","thread":1,"event":3000000000,"offset":1}`,
		`{"session":{"at":"nowhere"},"time":"2026-11-23T04:00:00Z"}`,
	}
	const unknownKind = `{"flag":"blue","id":"q"}`
	lines := strings.SplitAfter(text(t, b.Path()), "\n")
	lines[1] = strings.Replace(lines[1], `"note"`, `"color": {"r": 1},"note"`, 1)
	for i, l := range lines {
		if strings.HasPrefix(l, `{"session":{`) {
			lines[i] = strings.Replace(l, `{"session":{`, `{"session":{"filters":["x"],`, 1)
		}
	}
	write(t, b.Path(), lines[0]+strings.Join(damaged, "\n")+"\n"+unknownKind+"\n"+strings.Join(lines[1:], ""))
	b = open(t, trace)
	if b.Damaged() != len(damaged) || list(b) != "#1 one" {
		t.Fatalf("%d lines are damaged, not %d; %s", b.Damaged(), len(damaged), list(b))
	}
	it := b.Items()[0]
	it.Text = "changed"
	b.Put(it)
	b.SetSession(Session{At: at(2)})
	save(t, b)
	got := text(t, b.Path())
	for _, want := range append(damaged, unknownKind, `"note":"changed"`, `"color":{"r":1}`, `"filters":["x"]`) {
		if !strings.Contains(got, want) {
			t.Errorf("the file has lost %s", want)
		}
	}
	if b = open(t, trace); b.Damaged() != len(damaged) || list(b) != "#1 changed" {
		t.Errorf("%d damaged; %s", b.Damaged(), list(b))
	}
}

// TestJoined: the files of two people can be joined by appending one to the other; lines about
// another trace stay, but are not used.
func TestJoined(t *testing.T) {
	trace := newTrace(t)
	a, b := open(t, trace), open(t, trace)
	a.Put(Item{Text: "of a", At: at(1), Event: 1})
	b.Put(Item{Text: "of b", At: at(2), Event: 2})
	save(t, a)
	first := text(t, a.Path())
	if err := os.Remove(a.Path()); err != nil {
		t.Fatal(err)
	}
	save(t, b)
	foreign := `{"tracex":"notes","version":1,"trace":{"size":9,"head":"00000000","middle":"00000000"}}` + "\n" +
		`{"id":"z","note":"elsewhere","event":1,"thread":1,"offset":1}` + "\n"
	write(t, a.Path(), foreign[:0]+first+text(t, a.Path())+foreign+first)
	joined := open(t, trace)
	if list(joined) != "#1 of a; #2 of b" || joined.Damaged() != 2 {
		t.Fatalf("%s; %d damaged", list(joined), joined.Damaged())
	}
	joined.Mark('j', at(3), 3)
	save(t, joined)
	if again := open(t, trace); list(again) != "#1 of a; #2 of b; #3 'j" || !strings.Contains(text(t, a.Path()), "elsewhere") {
		t.Errorf("%s in %s", list(again), text(t, a.Path()))
	}
}

// TestLink: a symbolic link stays, and the file that it leads to is replaced. Permissions stay.
func TestLink(t *testing.T) {
	trace := newTrace(t)
	target := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Symlink(target, trace+format.NotesSuffix); err != nil {
		t.Skip(err)
	}
	b := open(t, trace)
	b.Mark('a', at(1), 1)
	save(t, b)
	if err := os.Chmod(target, 0o600); err != nil {
		t.Fatal(err)
	}
	b.Mark('b', at(2), 2)
	save(t, b)
	st, err := os.Lstat(b.Path())
	if err != nil || st.Mode()&fs.ModeSymlink == 0 || list(open(t, trace)) != "#1 'a; #2 'b" {
		t.Errorf("%v, %v", st, err)
	}
	if st, err = os.Stat(target); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st, err)
	}
}

// TestTraceLater: notes may be opened before the trace exists.
func TestTraceLater(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "later.bin")
	b := open(t, trace)
	b.Mark('a', at(1), 1)
	if err := b.Save(); !errors.Is(err, fs.ErrNotExist) || b.Unsaved() != 1 {
		t.Errorf("%v", err)
	}
	write(t, trace, "here it is")
	if save(t, b); list(open(t, trace)) != "#1 'a" {
		t.Error("not kept")
	}
}
