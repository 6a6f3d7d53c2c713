package ui

import (
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/uitest"
)

// TestScreens walks a recorded trace and compares each screen.
func TestScreens(t *testing.T) {
	r := uitest.Recorded(t, "gson.stream")
	named := Options{Name: "gson.stream.bin"} // otherwise the details contain the path of a temporary directory
	for _, story := range []struct {
		name          string
		width, height int
		keys          string
		o             Options
	}{
		{"open", 80, 24, "", Options{}},
		{"walk", 80, 24, "j j l j j", Options{}},
		{"collapse", 80, 24, "j j l j h h", Options{}},
		{"end", 80, 24, "G", Options{}},
		{"depth", 80, 24, "j j j 3 E c", Options{}},
		{"expand", 80, 24, "j j 2 e", Options{}},
		{"unload", 80, 24, "j j l x", Options{}},
		{"details", 80, 24, "1 0 j d", named},
		{"details-wide", 120, 40, "1 0 j d", named},
		{"details-narrow", 50, 20, "1 0 j d", named},
		{"small", 40, 10, "j j l", Options{}},
		{"help", 80, 24, "?", Options{}},
		{"help-search", 80, 24, "? / t h r e a d", Options{}},
		{"sticky-60", 60, 24, "g E pgdown pgdown", named},
		{"sticky-100", 100, 30, "g E pgdown pgdown", named},
		{"sticky-160", 160, 40, "g E pgdown pgdown d", named},
		{"sticky-off", 100, 30, "g E pgdown pgdown", Options{Name: "gson.stream.bin", NoSticky: true}},
		{"strip-80", 80, 24, "/ r e a d enter m a V 3 0 j (", named},
		{"flame-60", 60, 20, "V V j j l", named},
		{"flame-100", 100, 30, "V V j j j l enter j ( )", named},
		{"flame-160", 160, 40, "V V j j l l enter j j j j", named},
		{"flame-ascii", 80, 24, "V V j j l", Options{ASCII: true, Name: "gson.stream.bin"}},
		{"search", 80, 24, "/ j s o n enter n n", Options{}},
		{"search-typing", 80, 24, "/ t r a c k", Options{}},
		{"hits", 100, 20, "/ j s o n enter M", Options{}},
		{"goto", 80, 24, ": 5 0 % enter", Options{}},
		{"goto-typing", 80, 24, ":", Options{}},
		{"raw", 80, 24, "1 0 j r", Options{}},
		{"locations", 80, 24, "i", Options{}},
		{"ascii", 80, 24, "j j l d", Options{ASCII: true, Name: "gson.stream.bin"}},
		{"tour", 80, 24, "j", Options{Tour: true}},
	} {
		t.Run(story.name, func(t *testing.T) {
			d := drive(t, r, story.width, story.height, story.o)
			d.keys(story.keys)
			d.golden(story.name)
		})
	}
}

// TestOtherTraces compares the first screens of traces with special features.
func TestOtherTraces(t *testing.T) {
	for _, story := range []struct {
		name  string
		files []string
		keys  string
	}{
		{"threads", []string{"threads.stream.bin", "threads.stream.bin.idx"}, "tab tab l"},
		{"threads-list", []string{"threads.stream.bin", "threads.stream.bin.idx"}, "t j j"},
		{"diff", []string{"diff-gson.packedtrace"}, ""},
		{"crash", []string{"crash.stream.bin", "crash.stream.bin.idx"}, ""},
		{"crash-end", []string{"crash.stream.bin", "crash.stream.bin.idx"}, "G l l l G"},
		{"huge-node", []string{"flat.stream.bin", "flat.stream.bin.idx"}, "G l G l pgdown"},
		{"huge-node-end", []string{"flat.stream.bin", "flat.stream.bin.idx"}, "G l G l G"},
		{"roots", []string{"roots.dump.bin", "roots.dump.bin.idx"}, "E J E J E G"},
		{"all-kinds", []string{"allkinds.dump.bin", "allkinds.dump.bin.idx"}, "E 3 0 j"},
		{"packed", []string{"packed.stream.bin.packedtrace"}, "g"},
		{"deep", []string{"deep.stream.bin", "deep.stream.bin.idx"}, "l E 3 0 0 j"},
	} {
		t.Run(story.name, func(t *testing.T) {
			r := uitest.Open(t, formattest.Unpack(t, story.files...), lazy.Options{NoWrite: true})
			d := drive(t, r, 80, 24, Options{Name: story.files[0]})
			d.keys(story.keys)
			d.golden(story.name)
		})
	}
}

// TestTooSmall shows the minimum size, and restores the cursor afterwards.
func TestTooSmall(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	d.keys("j j j")
	row := d.cursorText()
	for _, size := range [][2]int{{39, 24}, {80, 9}, {1, 1}, {12, 3}} {
		d.resize(size[0], size[1])
		if screen := d.screen(); size[0] > 30 && !strings.Contains(screen, "needs 40×10") {
			t.Errorf("%d×%d: no word of the minimum:\n%s", size[0], size[1], screen)
		}
	}
	for _, size := range [][2]int{{40, 10}, {200, 60}, {80, 24}} {
		d.resize(size[0], size[1])
		if got := d.cursorText(); got != row || !strings.Contains(d.screen(), row[:8]) {
			t.Errorf("%d×%d: the cursor is at %q, not at %q", size[0], size[1], got, row)
		}
	}
	d.resize(10, 4)
	if d.keys("q"); !d.quit {
		t.Error("q does not quit in a small window")
	}
}
