package appmap

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"

	"tracex/recorder/convert/jsonstream"
	"tracex/recorder/convert/sources"
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

// readUpdates reads the updates of an input before its events are read; nil if that is not possible.
// What is wrong with the input shows when it is read again.
func readUpdates(ctx context.Context, in sources.Input) (*updates, error) {
	if s, ok := in.Reader.(io.ReadSeeker); ok {
		start, err := s.Seek(0, io.SeekCurrent)
		if err != nil {
			return nil, nil // a pipe
		}
		u := findUpdates(ctx, s)
		_, err = s.Seek(start, io.SeekStart)
		return u, err
	}
	content, err := again(in)
	if err != nil {
		return nil, nil
	}
	defer content.Close()
	return findUpdates(ctx, content), nil
}

// again opens a file to be read once more.
func again(in sources.Input) (io.ReadCloser, error) {
	if info, err := os.Stat(in.Path); err != nil || !info.Mode().IsRegular() {
		return nil, cmp.Or(err, errors.ErrUnsupported)
	}
	f, err := os.Open(in.Path)
	if err != nil {
		return nil, err
	}
	content, err := sources.NewContent(f)
	if err != nil {
		_ = f.Close() // it was only read
		return nil, err
	}
	return &reread{content, f}, nil
}

// reread is a file that is read again.
type reread struct {
	*sources.Content
	file *os.File
}

func (r *reread) Close() error {
	r.Content.Close()
	return r.file.Close()
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
