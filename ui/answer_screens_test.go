package ui

import (
	"fmt"
	"testing"
	"time"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/notes"
	"tracex/ui/internal/uitest"
)

// TestAnswerScreens compares the screen of each answer at three widths.
func TestAnswerScreens(t *testing.T) {
	gson, threads, timed := uitest.Recorded(t, "gson.dump"), uitest.Recorded(t, "threads.stream"), timedTrace(t, timedSpec)
	noted := gsonFile(t)
	command := func(text string) func(*driver) {
		return func(d *driver) { d.keys(":").typed(text).keys("enter") }
	}
	for _, story := range []struct {
		name  string
		r     *lazy.LazyTraceReader
		event int32 // where it begins
		do    func(d *driver)
	}{
		{"throws", gson, 0, func(d *driver) { d.keys("!") }},
		{"callers", gson, 0, command("callers JsonReader.nextNonWhitespace")},
		{"calls", gson, 0, command("calls JsonReader.peek")},
		{"calls-times", timed, 0, command("calls depth=3 col iter")},
		{"history", gson, 6278, func(d *driver) { d.keys("H") }},
		{"details-state", gson, 6278, func(d *driver) {
			if !d.m.details.On() { // in a wide window they are
				d.keys("d")
			}
		}},
		{"iterations", gson, 0, func(d *driver) { d.keys("/").typed("loop(42 iter").keys("enter a") }},
		{"around", threads, 41, func(d *driver) { d.keys("U") }},
		{"at", timed, 0, func(d *driver) { d.keys("E 9 j P") }},
		{"log", threads, 41, func(d *driver) {
			command(`log method=work: "work {arg.1} -> {ret|exc}"`)(d)
			d.keys("+").typed(`field=shared value<4: "  shared {value}"`).keys("enter j j")
		}},
		{"strip", timed, 0, func(d *driver) { d.keys("d d j j V") }},
		{"range", gson, 4156, func(d *driver) { d.keys("V ( 9 j ) T") }},
		{"notes", nil, 0, func(d *driver) {
			d.keys("d d j j j m a j A").typed("the first").keys("enter G A").typed("the last, of two\twords").keys("enter g B")
		}},
	} {
		for _, size := range [][2]int{{60, 20}, {100, 24}, {160, 30}} {
			name := fmt.Sprintf("%s-%d", story.name, size[0])
			if formattest.Race && size[0] != 100 {
				continue
			}
			if story.name == "details-state" {
				size[1] = 54 // the state is the last that the pane shows
			}
			t.Run(name, func(t *testing.T) {
				r, o := story.r, Options{Name: "trace.bin"}
				if story.event > 0 {
					h := lazy.EventHandle(story.event)
					o.At = &h
				}
				if r == nil {
					r = uitest.Open(t, noted, lazy.Options{NoWrite: true})
					var err error
					if o.Notes, err = notes.Open(noted, notes.Options{Author: "ada", Now: func() time.Time { return time.Unix(1, 0) }, NoWrite: true}); err != nil {
						t.Fatal(err)
					}
				}
				d := drive(t, r, size[0], size[1], o)
				story.do(d)
				d.golden(name)
			})
		}
	}
}
