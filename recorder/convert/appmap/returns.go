package appmap

import (
	"context"
	"io"

	"tracex/recorder/convert/jsonstream"
)

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
