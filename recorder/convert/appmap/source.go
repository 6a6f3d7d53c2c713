package appmap

import (
	"bytes"
	"context"
	"slices"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/jsonstream"
	"tracex/recorder/convert/sources"
)

// Source is AppMap's JSON.
var Source = sources.Source{Name: "appmap", What: "an AppMap", Is: is, Convert: convert}

// is reports whether a document has a class map, an event of a thread, or a version and what recorders say of
// themselves. Some write the events first, and they may be long.
func is(head []byte) bool {
	r := jsonstream.New(context.Background(), bytes.NewReader(head), nil)
	if !r.More() {
		return false
	}
	version, recorder := false, false
	for key := range r.Fields() {
		switch string(key) {
		case "classMap":
			return true
		case "version":
			version = r.Kind() == jsonstream.String
		case "metadata":
			recorder = hasKey(r, "client") || recorder
		case "events":
			for range r.Items() {
				if hasKey(r, "event", "thread_id") {
					return true
				}
				break
			}
		}
		if version && recorder {
			return true
		}
	}
	return false
}

// hasKey reports whether the object at hand has all of some keys, as far as it is there. It reads the object.
func hasKey(r *jsonstream.Reader, keys ...string) bool {
	found := 0
	for key := range r.Fields() {
		if slices.Contains(keys, string(key)) {
			found++
		}
	}
	return found >= len(keys)
}

func convert(ctx context.Context, in sources.Input, prefix string, to *calltrace.Writer) error {
	all, in, err := keep(ctx, in, to.TempDir())
	defer all.close()
	if err != nil {
		return err
	}
	c := &converter{r: jsonstream.New(ctx, in.Reader, in.Progress), to: to, updates: readUpdates(ctx, all),
		calls: calls{to: to, prefix: prefix, threads: map[string]*thread{}, open: map[int64]*thread{},
			returns: returns{ctx: ctx, in: all}}}
	for c.r.More() {
		c.document()
	}
	fault := c.r.Err()
	c.r.Leave(to)
	if c.err == nil {
		c.err = c.calls.close(c.name) // what was read before a fault is kept
	}
	if c.err != nil {
		return c.err
	}
	if fault == nil && !c.listed { // a test that called nothing of its project has an empty list
		fault = &format.Error{Offset: -1, Expected: "events", Found: "none in the file", Err: format.ErrNotTrace}
	}
	return format.At(fault, in.Path, 0)
}

// converter reads documents.
type converter struct {
	r       *jsonstream.Reader
	to      *calltrace.Writer
	updates *updates
	calls   calls
	name    string // of the recording
	listed  bool   // there is a list of events
	event   event
	err     error // of the files written
}

func (c *converter) document() {
	if !c.r.IsObject() {
		return
	}
	for key := range c.r.Fields() {
		switch string(key) {
		case "metadata":
			c.metadata()
		case "events":
			c.listed = c.listed || c.r.Kind() == jsonstream.Array
			for range c.r.Items() {
				c.readEvent()
			}
		case "eventUpdates":
			if c.updates == nil {
				for range c.r.Fields() {
					c.to.Leave("update of an event, since the file could not be opened again", "updates of events, since the file could not be opened again", 1, c.r.Offset())
				}
			}
		}
	}
}

func (c *converter) metadata() {
	for key := range c.r.Fields() {
		if string(key) == "name" {
			c.name = string(c.r.Text())
		}
	}
}

// readEvent reads an event, or its update, and makes a call of it, or ends one.
func (c *converter) readEvent() {
	if !c.r.IsObject() {
		return
	}
	e := &c.event
	e.reset(c.to, c.r.Offset())
	e.read(c.r)
	if c.r.Err() != nil {
		return // a part of an event is none
	}
	if text := c.updates.of(e.id); text != nil {
		at := e.at
		e.reset(c.to, at)
		r := jsonstream.New(context.Background(), bytes.NewReader(text), nil)
		if r.More() {
			e.read(r)
		}
	}
	switch e.kind {
	case "call":
		c.err = c.calls.begin(e)
	case "return":
		c.err = c.calls.end(e)
	default:
		c.to.Leave("event that is neither a call nor a return", "events that are neither calls nor returns", 1, e.at)
	}
	c.r.Stop(c.err)
}
