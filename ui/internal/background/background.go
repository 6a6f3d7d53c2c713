// Package background runs work of the explorer's parts on other goroutines and returns its
// results, and its panics, to Bubble Tea's.
package background

import tea "charm.land/bubbletea/v2"

// Next returns the command that waits for the next message of a feed. It yields nil once the
// feed is closed.
func Next(feed <-chan tea.Msg) tea.Cmd {
	return func() tea.Msg {
		msg, ok := <-feed
		if !ok {
			return nil
		}
		return msg
	}
}
