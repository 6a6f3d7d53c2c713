package background

import (
	"testing"

	tea "charm.land/bubbletea/v2"
)

// TestNext: messages arrive in order, and none after the end.
func TestNext(t *testing.T) {
	feed := make(chan tea.Msg, 2)
	feed <- 1
	feed <- 2
	close(feed)
	for _, want := range []tea.Msg{1, 2, nil} {
		if got := Next(feed)(); got != want {
			t.Errorf("%v, want %v", got, want)
		}
	}
}
