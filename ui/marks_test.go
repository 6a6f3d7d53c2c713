package ui

import (
	"os"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/notes"
	"tracex/ui/internal/env"
	"tracex/ui/internal/uitest"
)

// noted is an explorer of a recorded trace whose notes are kept.
type noted struct {
	*driver
	trace string
}

// driveNoted opens the explorer, and its notes, anew.
func driveNoted(t *testing.T, trace string, o Options) *noted {
	t.Helper()
	var err error
	if o.Notes, err = notes.Open(trace, notes.Options{Author: "ada"}); err != nil {
		t.Fatal(err)
	}
	return &noted{drive(t, uitest.Open(t, trace, lazy.Options{NoWrite: true}), 120, 30, o), trace}
}

func gsonFile(t *testing.T) string { return formattest.Unpack(t, "gson.dump.bin", "gson.dump.bin.idx") }

// file returns the file of the notes; "" if there is none.
func (d *noted) file() string {
	b, err := os.ReadFile(d.trace + format.NotesSuffix)
	if err != nil && !os.IsNotExist(err) {
		d.t.Fatal(err)
	}
	return string(b)
}

// again leaves the explorer and opens the trace anew.
func (d *noted) again(t *testing.T, o Options) *noted {
	t.Helper()
	if err := d.m.leave(); err != nil {
		t.Fatal(err)
	}
	return driveNoted(t, d.trace, o)
}

func (d *noted) event() int32 {
	n := d.m.tree.Out.Cursor.Node
	if n == nil || n.IsThread() {
		return -1
	}
	return n.Point().Event
}

// TestMarks sets marks and goes to them. Two apostrophes go back and forth.
func TestMarks(t *testing.T) {
	d := driveNoted(t, gsonFile(t), Options{})
	d.keys("j j j m").fire(env.PrefixWaited{})
	d.has("│ a…z  a new mark")
	d.keys("a").has("mark a is at #5")
	if row := d.screenRow(t, ".create(): "); !strings.HasPrefix(row, "▌'") || !strings.Contains(row, "  'a ") {
		t.Errorf("the row is %q", row)
	}
	d.keys("G m z")
	last := d.event()
	d.keys("' a")
	if d.event() != 5 {
		t.Errorf("'a leads to event %d", d.event())
	}
	d.keys("' '")
	if d.event() != last {
		t.Errorf("'' leads to event %d", d.event())
	}
	d.keys("' '")
	if d.event() != 5 {
		t.Errorf("the second '' leads to event %d", d.event())
	}
	d.keys("' q").has("there is no mark q; B lists the marks")
	d.keys("m 7").has("7 is none of a  z  b…z")
	d.keys("m esc j")
	if strings.Contains(d.screen(), "none of") || d.event() == 5 {
		t.Error("esc does not cancel m")
	}
	// A mark is a position: it stays when its node is unloaded, or another view is shown.
	d.keys("g C j x ' a")
	if d.event() != 5 {
		t.Errorf("after unloading, 'a leads to event %d", d.event())
	}
	d.keys("r G ' a")
	if d.event() != 5 {
		t.Errorf("raw: 'a leads to event %d", d.event())
	}
	d.screenRow(t, "'a")
	d.keys("g m t j ' t")
	if n := d.m.tree.Out.Cursor.Node; n == nil || !n.IsThread() {
		t.Errorf("the mark of a thread leads to %q", d.cursorText())
	}
	if !strings.Contains(d.file(), `{"id":"mark-t","mark":"t","thread":1,`) || !strings.Contains(d.file(), `"mark":"a","event":5,`) {
		t.Errorf("the file is %s", d.file())
	}
}

// screenRow returns the row of the screen that has a text.
func (d *noted) screenRow(t *testing.T, text string) string {
	t.Helper()
	for row := range strings.Lines(d.screen()) {
		if strings.Contains(row, text) {
			return strings.TrimSuffix(row, "\n")
		}
	}
	t.Errorf("no row with %q in\n%s", text, d.screen())
	return ""
}

// TestMarksFollowing: marks stay on their rows while the trace grows, and those of a recording
// that another one has replaced are gone.
func TestMarksFollowing(t *testing.T) {
	l := goLive(t, Options{})
	l.record()
	th := l.rec.Thread("main")
	l.enter(th, 3)
	l.calls(th, 50)
	b, err := notes.Open(l.path, notes.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l.seen()
	l.driver = drive(t, l.r, 90, 16, Options{Notes: b})
	l.find("f(20)").keys("m a A").driver.typed("the twentieth").keys("enter")
	l.calls(th, 3000)
	l.seen().keys("G x ' a").at(20)
	l.has("✎ the twentieth")
	if again, err := notes.Open(l.path, notes.Options{}); err != nil || len(again.Items()) != 2 {
		t.Errorf("the grown trace has %v; error %v", again.Items(), err)
	}
	first := l.rec
	defer first.Stop()
	if err := os.Rename(l.path, l.path+".old"); err != nil {
		t.Skip("an open file cannot be renamed here: ", err)
	}
	l.look()
	l.record()
	th = l.rec.Thread("main")
	l.enter(th, 1)
	l.calls(th, 60)
	l.seen().has("the notes are of another trace; they become trace.bin.notes.old when there")
	l.keys("' a").has("there is no mark a")
	if strings.Contains(l.screen(), "twentieth") {
		t.Error("the note of the old recording is shown")
	}
	kept, err := os.ReadFile(b.Path())
	if err != nil || !strings.Contains(string(kept), "twentieth") {
		t.Errorf("the file of the old recording has %s; error %v", kept, err)
	}
}

// TestFoldedMark: a mark of an event that folding hides leads to what it became part of.
func TestFoldedMark(t *testing.T) {
	d := driveNoted(t, formattest.Unpack(t, "kotlin.dump.bin", "kotlin.dump.bin.idx"), Options{Raw: true})
	d.keys(": 3 enter m a r G ' a").has("event 3 is folded into event 4; r shows it")
	if d.event() != 4 {
		t.Errorf("at event %d", d.event())
	}
	d.keys("B").has("'a #3 ")
}

// TestNotes writes, edits and removes a note.
func TestNotes(t *testing.T) {
	d := driveNoted(t, gsonFile(t), Options{})
	d.keys("j j j A").typed("balance *below* 0").keys("enter").has("note at #5")
	if row := d.screenRow(t, ".create(): "); !strings.HasPrefix(row, "▌✎") || !strings.Contains(row, "  ✎ balance *below* 0 ") {
		t.Errorf("the row is %q", row)
	}
	d.keys("d").has(" your note  balance *below* 0", "            ada, 2")
	d.keys("A").has("note: balance *below* 0").typed("!").keys("enter").has("balance *below* 0!")
	d.keys("A").typed("?").keys("esc")
	if strings.Contains(d.screen(), "0!?") || strings.Count(d.file(), `"note"`) != 1 || !strings.Contains(d.file(), `"note":"balance *below* 0!","event":5,`) {
		t.Errorf("esc does not keep the note: %s", d.file())
	}
	d.keys("A ctrl+u enter").has("removed the note at #5; u in the list of notes (B) brings it back")
	if strings.Contains(d.file(), `"note"`) {
		t.Errorf("the file is %s", d.file())
	}
	d.keys("B u").has("it is back at #5", "#5           balance *below* 0!")
	if !strings.Contains(d.file(), `"note":"balance *below* 0!"`) {
		t.Errorf("the file is %s", d.file())
	}
}

// TestNoteOfLines: a note of several lines keeps them when it is edited.
func TestNoteOfLines(t *testing.T) {
	trace := gsonFile(t)
	b, err := notes.Open(trace, notes.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := driveNoted(t, trace, Options{})
	at, _ := d.m.env.Trace.Reader.FindEvent(t.Context(), 5)
	b.Put(notes.Item{Text: "first\n" + `second \n`, At: at, Event: 5})
	if err := b.Save(); err != nil {
		t.Fatal(err)
	}
	d = driveNoted(t, trace, Options{})
	d.keys("j j j d").has(" your note  first", `            second \n`)
	d.keys("A").has(`note: first\nsecond \\n`).typed("!").keys("enter")
	if !strings.Contains(d.file(), `"note":"first\nsecond \\n!"`) {
		t.Errorf("the file is %s", d.file())
	}
}

// TestNotesList lists, filters, chooses, removes.
func TestNotesList(t *testing.T) {
	d := driveNoted(t, gsonFile(t), Options{})
	d.keys("B").has("none yet: m and a letter marks a row, A writes a note").keys("esc")
	d.keys("j j j m a j A").typed("the first").keys("enter G A").typed("the last").keys("enter g B")
	d.has("'a #5 ", "the first", "g = Gson@1091597918 · Libs.gson()", "the last")
	d.keys("/").typed("the").keys("enter j enter")
	last := d.event()
	if last < 100 {
		t.Errorf("at event %d", last)
	}
	d.keys("' a B /").typed("last").keys("enter d").has("removed the note at #")
	if strings.Contains(d.file(), "the last") || !strings.Contains(d.file(), "the first") {
		t.Errorf("the file is %s", d.file())
	}
	d.keys("u").has("the last").keys("esc esc")
	if d.event() != 5 {
		t.Errorf("at event %d", d.event())
	}
	d.keys("B u").has("nothing was removed").keys("x x x").has("none yet").keys("x enter esc")
	if strings.Contains(d.file(), `"id"`) {
		t.Errorf("the file is %s", d.file())
	}
}

// TestNotesNotKept: if the file cannot be written, the message says so, and the next change saves
// all. Without a file, the message says that too.
func TestNotesNotKept(t *testing.T) {
	d := driveNoted(t, gsonFile(t), Options{})
	path := d.trace + format.NotesSuffix
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	d.keys("m a").has(" gson.dump.bin.notes is not a file of notes")
	d.keys("j A").typed("kept").keys("enter").has("is not a file of notes", "✎ kept")
	if err := d.m.leave(); err == nil || !strings.Contains(err.Error(), "is not a file of notes") {
		t.Errorf("on leaving: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	d.keys("m b")
	if f := d.file(); !strings.Contains(f, `"mark":"a"`) || !strings.Contains(f, `"mark":"b"`) || !strings.Contains(f, "kept") {
		t.Errorf("the file is %s", f)
	}
	plain := drive(t, uitest.Recorded(t, "gson.dump"), 100, 24, Options{})
	plain.keys("m a").has("mark a is at #0, until you quit").keys("A").typed("x").keys("enter").has("note at #0, until you quit")
	if err := plain.m.leave(); err != nil {
		t.Error(err)
	}
}

// TestOthersNotes: what another program has written meanwhile appears with the next save.
func TestOthersNotes(t *testing.T) {
	d := driveNoted(t, gsonFile(t), Options{})
	at, err := d.m.env.Trace.Reader.FindEvent(t.Context(), 5)
	if err != nil {
		t.Fatal(err)
	}
	other, err := notes.Open(d.trace, notes.Options{})
	if err != nil {
		t.Fatal(err)
	}
	other.Put(notes.Item{Text: "of another program", At: at, Event: 5})
	if err := other.Save(); err != nil {
		t.Fatal(err)
	}
	d.keys("m a").has("✎ of another program")
	if f := d.file(); !strings.Contains(f, "of another program") || !strings.Contains(f, `"mark":"a"`) {
		t.Errorf("the file is %s", f)
	}
}
