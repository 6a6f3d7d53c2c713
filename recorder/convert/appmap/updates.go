package appmap

import (
	"context"
	"io"

	"tracex/recorder/convert/jsonstream"
)

// updates are events to be used in place of those that were recorded first, which are before them in
// the file. nil means that there are no updates, or that they are not known.
type updates struct {
	events map[int64][]byte // as JSON
	size   int
}

const (
	mostUpdates = 64 << 20 // bytes
	mostUpdate  = 1 << 20
	updateCost  = 128 // bytes that each takes besides its text
)

func (u *updates) of(id int64) []byte {
	if u == nil {
		return nil
	}
	return u.events[id]
}

// readUpdates reads the updates of an input before its events are read; nil if it cannot be opened again.
// What is wrong with the input shows when it is read again.
func readUpdates(ctx context.Context, in *kept) *updates {
	content, err := in.again()
	if err != nil {
		return nil
	}
	defer content.Close()
	return findUpdates(ctx, content)
}

func findUpdates(ctx context.Context, input io.Reader) *updates {
	u := &updates{events: map[int64][]byte{}}
	r := jsonstream.New(ctx, input, nil)
	for r.More() {
		for key := range r.Fields() {
			if string(key) != "eventUpdates" {
				continue
			}
			for key := range r.Fields() {
				id := eventID(key)
				text := r.AppendText(nil, mostUpdate)
				if u.size += updateCost + len(text); u.size > mostUpdates || r.Err() != nil || len(text) > mostUpdate {
					continue
				}
				u.events[id] = text
			}
		}
	}
	return u
}
