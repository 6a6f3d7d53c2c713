// Package appmap converts AppMap files (specification 1.0 to 1.13), which recorders for Ruby, Python, Java
// and Node write.
//
//	events: call, return       a call; its place is that of the method, which is what the file has
//	defined_class, method_id   class and method
//	receiver                   the receiver, unless the method is static
//	parameters, message        arguments
//	parent_id                  the call that a return ends; the returns may be in any order. Without it, as early recorders for Java
//	                           wrote, that is the innermost call of the thread
//	return_value               the result
//	exceptions                 a throw, by which the call ended; the causes are lines of its stack
//	sql_query                  SQL.query(sql ➜ …, database ➜ …)
//	http_server_request        HTTP.GET /owners/{id}(path ➜ …, headers ➜ …); the status is the result
//	http_client_request        HTTP client.GET(url ➜ …, headers ➜ …); as above
//	message alone              message.receive
//	thread_id                  a thread; its name has that of the recording
//	eventUpdates               used in place of the events; a file is read twice for them, and what comes through a pipe is kept
//
// The class map is left out: events have all that a trace has room for. So are labels, the sources
// of methods, and the time that the recorder needed itself (elapsed_instrumentation). Other fields that have no
// place in a call are counted.
//
// # Values
//
// Recorders describe values by a text and the name of the class. Numbers, booleans, strings and nothing
// become values of these kinds where the class says so. Quotes around a string are removed, as some recorders
// have them and others do not. Other objects keep class, identity and text; lists and maps only the text.
//
// # Times
//
// Most recorders tell how long a call took, not when it began. So durations are as recorded, and moments are
// made up from the order of the events: a call begins where the call before it ended, or else with its
// caller, and a caller has the rest of its time at its end:
//
//	recorded                     shown
//	a  calls b and c, 10 ms      a ├─────────────────┤
//	b  3 ms                      b ├────┤
//	c  4 ms                      c       ├──────┤
//
// So total and self times are right, and only gaps between calls are not. The first call of a thread, or one that
// follows another outside of all, begins not before what the file has before it, in any thread. A caller that
// took less time than the calls inside it (which ran at once, or were measured with less overhead) is
// lengthened, and counted; one whose return tells no time lasts as long as those inside it, and is counted, too. Where events
// have timestamps, calls begin there.
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
