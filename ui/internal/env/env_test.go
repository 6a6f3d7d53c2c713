package env

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// TestSoon: a result within the patience is returned; a later one is delivered by the command.
func TestSoon(t *testing.T) {
	var e Env
	e.deadline = time.Now().Add(time.Hour)
	if msg, cmd := e.Soon(func() tea.Msg { return 1 }); msg != 1 || cmd != nil {
		t.Errorf("%v, command %v", msg, cmd != nil)
	}
	e.deadline = time.Time{}
	release := make(chan bool)
	msg, cmd := e.Soon(func() tea.Msg { <-release; return 2 })
	if msg != nil || cmd == nil || !e.Late() {
		t.Fatalf("%v while the work runs", msg)
	}
	close(release)
	if msg = cmd(); msg != 2 {
		t.Errorf("the command delivers %v", msg)
	}
}

// TestSoonPanics: a panic in the background is repeated on the goroutine of the caller, or
// delivered there.
func TestSoonPanics(t *testing.T) {
	var e Env
	e.deadline = time.Now().Add(time.Hour)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is lost")
			}
		}()
		e.Soon(func() tea.Msg { panic("x") })
	}()
	e.deadline = time.Time{}
	release := make(chan bool)
	_, cmd := e.Soon(func() tea.Msg { <-release; panic("x") })
	close(release)
	if _, ok := cmd().(Panic); !ok {
		t.Error("the panic is not delivered")
	}
}

// TestFail: an error is shown, unless the user stopped the work.
func TestFail(t *testing.T) {
	var e Env
	e.Fail("cannot load", fmt.Errorf("load: %w", context.Canceled))
	if text, _ := e.Status.Message(); text != "" {
		t.Errorf("stopped: %q", text)
	}
	e.Fail("cannot load", errors.New("odd"))
	if text, alarm := e.Status.Message(); text != "cannot load: odd" || !alarm {
		t.Errorf("%q, alarm %v", text, alarm)
	}
}
