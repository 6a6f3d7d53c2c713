package ui

import (
	"math/rand/v2"
	"slices"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/format/formattest"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/uitest"
)

// TestRandom: whatever keys and clicks come, at whatever sizes, nothing panics, and each line has the width of the window.
func TestRandom(t *testing.T) {
	var pressed []string
	for _, c := range keys.New(nil, &screen.ASCII).All {
		pressed = append(pressed, c.Key.Keys()...)
	}
	leave := []string{"q", "ctrl+c", "ctrl+z"}
	pressed = slices.DeleteFunc(pressed, func(key string) bool { return slices.Contains(leave, key) })
	pressed = append(pressed, "enter", "esc", "tab", "down", "up", "left", "right", "backspace", "a", "s", "p", "i", "1", "3", "9", "enter", "esc", "down")
	events := 5000
	if formattest.Race {
		events = 300
	}
	for seed, name := range []string{"gson.stream", "threads.stream", "kotlin.stream", "allkinds.dump"} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(seed), 1))
			d := drive(t, uitest.Recorded(t, name), 100, 30, Options{})
			last := "the start"
			defer func() {
				if p := recover(); p != nil {
					t.Fatalf("after %s: %v", last, p)
				}
			}()
			for i := range events {
				switch x := r.IntN(20); {
				case x == 0:
					last = "another size"
					d.resize(1+r.IntN(200), 1+r.IntN(70))
				case x < 4:
					last = "a click"
					d.send(tea.MouseClickMsg{X: r.IntN(120), Y: r.IntN(40), Button: tea.MouseLeft})
				case x == 4:
					last = "the wheel"
					d.send(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
				default:
					last = pressed[r.IntN(len(pressed))]
					d.send(keys.Press(last))
				}
				if i%4 == 0 {
					d.screen()
				}
				if f := d.m.newFrame(); d.m.View().Content != f.draw(&d.m.env.Front, new(screen.Backdrop)) {
					t.Fatalf("after %s: drawn again it is different", last)
				}
			}
		})
	}
}
