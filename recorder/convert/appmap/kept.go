package appmap

import (
	"cmp"
	"context"
	"io"
	"os"

	"tracex/recorder/convert/jsonstream"
	"tracex/recorder/convert/sources"
	"tracex/recorder/convert/spool"
)

// kept is an input that can be read several times: what updates events, and which calls have returns, shows only
// further on. A file is opened anew; what comes through a pipe is kept, beyond some memory in a temporary file.
type kept struct {
	path   string
	spool  *spool.Spool // nil for a file
	stream *spool.Stream
	failed error // of reading the pipe, after what is kept
}

const (
	keptMemory = 32 << 20 // bytes of a pipe in memory
	keptBlock  = 60 << 10 // fits into the largest batch of a spool
)

// keep returns the input, and what reads it from now on. It fails if the temporary file cannot be written. It must be closed.
func keep(ctx context.Context, in sources.Input, dir string) (*kept, sources.Input, error) {
	k := &kept{path: in.Path}
	if info, err := os.Stat(in.Path); err == nil && info.Mode().IsRegular() && !in.Stdin {
		return k, in, nil
	}
	k.spool = spool.New(dir, keptMemory)
	k.stream = k.spool.Stream()
	from := jsonstream.Watch(ctx, in.Reader, in.Progress)
	block := make([]byte, keptBlock)
	for k.failed == nil {
		var n int
		n, k.failed = io.ReadFull(from, block)
		if err := k.spool.Add(k.stream, 0, block[:n]); err != nil {
			return k, in, err
		}
	}
	if k.failed == io.ErrUnexpectedEOF {
		k.failed = io.EOF
	}
	in.Reader, in.Progress = k.blocks(), nil
	return k, in, nil
}

// again returns what reads the input from its beginning.
func (k *kept) again() (io.ReadCloser, error) {
	if k.spool != nil {
		return io.NopCloser(k.blocks()), nil
	}
	f, err := os.Open(k.path)
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

func (k *kept) close() {
	if k.spool != nil {
		k.spool.Close()
	}
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

// blocks reads what came through a pipe.
type blocks struct {
	records *spool.Records
	failed  error // what ended the pipe
	rest    []byte
}

func (k *kept) blocks() *blocks {
	return &blocks{records: k.spool.OpenBeside(k.stream), failed: k.failed}
}

func (b *blocks) Read(to []byte) (int, error) {
	for len(b.rest) == 0 {
		if !b.records.Next() {
			return 0, cmp.Or(b.records.Err(), b.failed)
		}
		b.rest = b.records.Body
	}
	n := copy(to, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

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

// returns tells which calls of an input have none. That matters only if calls do not return in the order in which
// they were called: it is read when the first such return is found.
type returns struct {
	ctx     context.Context
	in      *kept
	looked  bool
	known   bool // otherwise no return is expected after the next call of the thread
	missing map[int64]int
}

// never reports whether a call is known to have no return.
func (r *returns) never(id int64) bool { return r.known && r.missing[id] > 0 }

// lookAhead reads the input, unless that was done.
func (r *returns) lookAhead() {
	if r.looked {
		return
	}
	r.looked = true
	content, err := r.in.again()
	if err != nil {
		return
	}
	defer content.Close()
	r.missing, r.known = map[int64]int{}, true
	r.read(content)
}

// read notes the ids of calls, and forgets those of returns. What is wrong with the input shows elsewhere.
func (r *returns) read(content io.Reader) {
	in := jsonstream.New(r.ctx, content, nil)
	for in.More() {
		for key := range in.Fields() {
			if string(key) != "events" {
				continue
			}
			for range in.Items() {
				r.event(in)
				if len(r.missing) > mostOpen {
					r.known, r.missing = false, nil
					return
				}
			}
		}
	}
}

func (r *returns) event(in *jsonstream.Reader) {
	kind, id, parent := "", int64(0), int64(0)
	for key := range in.Fields() {
		switch string(key) {
		case "event":
			kind = string(in.Text())
		case "id":
			id = eventID(in.Text())
		case "parent_id":
			parent = eventID(in.Text())
		}
	}
	switch kind {
	case "call":
		r.missing[id]++
	case "return":
		if r.missing[parent]--; r.missing[parent] <= 0 {
			delete(r.missing, parent)
		}
	}
}
