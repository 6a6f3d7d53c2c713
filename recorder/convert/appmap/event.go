package appmap

import (
	"hash/fnv"
	"math"
	"strings"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/fit"
	"tracex/recorder/convert/jsonstream"
)

// event is a call that begins, or its end.
type event struct {
	to         *calltrace.Writer
	at         int64 // offset in the input
	room       int   // bytes that its values may still take
	id         int64
	parent     int64  // of a return: the call
	parented   bool   // the parent is known
	kind       string // call or return
	thread     string
	class      string
	method     string
	path       string
	line       int64
	static     bool
	receiver   *format.Value
	args       []arg
	result     *format.Value
	status     *format.Value // of a response
	exceptions []exception
	elapsed    int64 // ns; -1 if unknown
	time       int64 // ns since 1970, or any other moment; -1 if unknown
	extra      []arg // values that become variables, such as the headers of a response
}

// arg is a value with its name.
type arg struct {
	name  string
	value format.Value
}

type exception struct {
	class, message, path string
	line, object         int64
}

const (
	mostThreads = 1 << 16
	mostOpen    = 1 << 20  // calls, in all threads
	mostHeld    = 64 << 20 // bytes of the returns that wait
	// latest bounds moments and durations, in ns, so that no sum overflows.
	latest = math.MaxInt64 / 4
)

const (
	// mostValues bounds the values of an event in memory, in bytes; valueSize is that of one without its text.
	mostValues = 4 << 20
	valueSize  = 128

	mostExceptions = 32
)

func (e *event) reset(to *calltrace.Writer, at int64) {
	*e = event{to: to, at: at, room: mostValues, elapsed: -1, time: -1, args: e.args[:0], exceptions: e.exceptions[:0], extra: e.extra[:0]}
}

// eventID returns the id of an event. Ids are numbers; any other text becomes one.
func eventID(text []byte) int64 {
	if id, ok := jsonstream.Decimal(text, 0); ok {
		return id
	}
	h := fnv.New64a()
	h.Write(text) // cannot fail
	return int64(h.Sum64())
}

// eventFields are the fields of events, and what reads each.
var eventFields = map[string]func(e *event, r *jsonstream.Reader){
	"id":                      func(e *event, r *jsonstream.Reader) { e.id = eventID(r.Text()) },
	"parent_id":               func(e *event, r *jsonstream.Reader) { e.parent, e.parented = eventID(r.Text()), true },
	"event":                   func(e *event, r *jsonstream.Reader) { e.kind = string(r.Text()) },
	"thread_id":               func(e *event, r *jsonstream.Reader) { e.thread = fit.Name(fit.Whole(r.Text())) },
	"defined_class":           func(e *event, r *jsonstream.Reader) { e.class = string(r.Text()) },
	"method_id":               func(e *event, r *jsonstream.Reader) { e.method = string(r.Text()) },
	"path":                    func(e *event, r *jsonstream.Reader) { e.path = string(r.Text()) },
	"lineno":                  func(e *event, r *jsonstream.Reader) { e.line, _ = jsonstream.Decimal(r.Text(), 0) },
	"static":                  func(e *event, r *jsonstream.Reader) { e.static = r.Bool() },
	"receiver":                func(e *event, r *jsonstream.Reader) { e.receiver = e.object(r, true) },
	"parameters":              (*event).parameters,
	"message":                 (*event).message,
	"return_value":            func(e *event, r *jsonstream.Reader) { e.result = e.object(r, false) },
	"exceptions":              (*event).readExceptions,
	"elapsed":                 func(e *event, r *jsonstream.Reader) { e.elapsed = e.seconds(r) },
	"timestamp":               func(e *event, r *jsonstream.Reader) { e.time = e.seconds(r) },
	"sql_query":               (*event).sql,
	"http_server_request":     (*event).serverRequest,
	"http_client_request":     (*event).clientRequest,
	"http_server_response":    (*event).response,
	"http_client_response":    (*event).response,
	"elapsed_instrumentation": func(e *event, r *jsonstream.Reader) {}, // of the recorder itself
	"memory_bytes": func(e *event, r *jsonstream.Reader) {
		e.to.Leave("size of memory", "sizes of memory", 1, r.Offset())
	},
}

// read reads the fields of the object at hand. Fields that are not known, such as those of later versions, are counted.
func (e *event) read(r *jsonstream.Reader) {
	for key := range r.Fields() {
		switch field := eventFields[string(key)]; {
		case field == nil:
			e.leaveField(r)
		case r.Kind() != jsonstream.Null:
			field(e, r)
		}
	}
	if e.status != nil {
		if e.result != nil {
			e.extra = append(e.extra, arg{"return_value", *e.result})
		}
		e.result = e.status
	}
}

// leaveField counts a field that has no place in a call.
func (e *event) leaveField(r *jsonstream.Reader) {
	if r.Kind() == jsonstream.Null {
		return
	}
	e.to.Leave("field of an event that has no place in a call", "fields of events that have no place in a call", 1, r.Offset())
}

// seconds reads a number of seconds, and returns it in ns; -1 if it is none.
func (e *event) seconds(r *jsonstream.Reader) int64 {
	at := r.Offset()
	ns, ok := jsonstream.Decimal(r.Text(), 9)
	if !ok || ns < 0 {
		e.to.Leave("time that is none", "times that are none", 1, at)
		return -1
	}
	return min(ns, latest)
}

// parameters reads a list of values, or an object of values by their names, as the first version had it.
func (e *event) parameters(r *jsonstream.Reader) {
	if r.Kind() == jsonstream.Object {
		for key := range r.Fields() {
			name := string(key)
			e.parameter(r, name)
		}
		return
	}
	for range r.Items() {
		e.parameter(r, "")
	}
}

func (e *event) parameter(r *jsonstream.Reader, name string) {
	if e.room < 0 {
		e.to.Leave("argument of a call with too many", "arguments of calls with too many", 1, r.Offset())
		return
	}
	if r.Kind() == jsonstream.String { // without its class
		e.args = append(e.args, arg{name, e.text(string(r.Text()))})
		return
	}
	p := e.parameterObject(r)
	if p.name == "" {
		p.name = name
	}
	e.args = append(e.args, arg{p.name, p.valueOf(e.to, false)})
}

// parameterObject reads the description of a value. Its kind, size and schema are left out.
func (e *event) parameterObject(r *jsonstream.Reader) (p parameter) {
	for key := range r.Fields() {
		switch string(key) {
		case "name":
			p.name = string(r.Text())
		case "class":
			p.class = string(r.Text())
		case "object_id":
			p.object = append(p.object, r.Text()...)
		case "value":
			switch r.Kind() {
			case jsonstream.Object, jsonstream.Array:
				p.text, p.known = string(r.AppendText(nil, jsonstream.MaxText/2)), true
			case jsonstream.Null:
			default:
				p.text, p.known = string(r.Text()), true
			}
		}
	}
	e.room -= valueSize + len(p.name) + len(p.class) + len(p.text)
	return p
}

// object reads a value; nil if there is none.
func (e *event) object(r *jsonstream.Reader, receiver bool) *format.Value {
	if !r.IsObject() {
		return nil
	}
	p := e.parameterObject(r)
	if receiver && (p.class == "undefined" || classKinds[p.class] == nothing) {
		return nil
	}
	v := p.valueOf(e.to, receiver)
	return &v
}

func (e *event) readExceptions(r *jsonstream.Reader) {
	for i := range r.Items() {
		if i >= mostExceptions {
			e.to.Leave("cause of an exception", "causes of exceptions", 1, r.Offset())
			continue
		}
		x := exception{}
		for key := range r.Fields() {
			switch string(key) {
			case "class":
				x.class = string(r.Text())
			case "message":
				x.message = string(r.Text())
			case "path":
				x.path = string(r.Text())
			case "lineno":
				x.line, _ = jsonstream.Decimal(r.Text(), 0)
			case "object_id":
				x.object = eventID(r.Text())
			default:
				e.leaveField(r)
			}
		}
		if x.class == "" {
			x.class = "exception"
		}
		e.exceptions = append(e.exceptions, x)
	}
}

// Calls that are no calls of functions get a class that says what they are.
const (
	sqlClass     = "SQL"
	serverClass  = "HTTP"
	clientClass  = "HTTP client"
	messageClass = "message"
)

// text returns a text as a value.
func (e *event) text(s string) format.Value {
	e.room -= valueSize + len(s)
	return calltrace.String(s)
}

func (e *event) add(name, text string) {
	if text != "" {
		e.args = append(e.args, arg{name, e.text(text)})
	}
}

// sql reads a query.
func (e *event) sql(r *jsonstream.Reader) {
	e.class, e.method = sqlClass, "query"
	names := map[string]string{"sql": "sql", "database_type": "database", "server_version": "version", "explain_sql": "plan"}
	for key := range r.Fields() {
		name, known := names[string(key)]
		if !known {
			e.leaveField(r)
			continue
		}
		e.add(name, string(r.Text()))
	}
}

// serverRequest reads a request to the program. The method is named after the path with the names of its parts, as
// requests for different objects are calls of one method.
func (e *event) serverRequest(r *jsonstream.Reader) {
	verb, normal := e.request(r)
	e.class, e.method = serverClass, strings.TrimSpace(verb+" "+normal)
}

// clientRequest reads a request of the program.
func (e *event) clientRequest(r *jsonstream.Reader) {
	e.class, e.method = clientClass, first(e.request(r))
}

func first(a, _ string) string { return a }

func (e *event) request(r *jsonstream.Reader) (verb, normal string) {
	verb = "request"
	var headers []arg
	for key := range r.Fields() {
		switch string(key) {
		case "request_method":
			verb = string(r.Text())
		case "normalized_path_info":
			normal = string(r.Text())
		case "path_info":
			e.add("path", string(r.Text()))
		case "url":
			e.add("url", string(r.Text()))
		case "headers":
			headers = e.headers(r)
		default:
			e.leaveField(r)
		}
	}
	e.args = append(e.args, headers...)
	return verb, normal
}

// response reads what was answered: the status is the result.
func (e *event) response(r *jsonstream.Reader) {
	for key := range r.Fields() {
		switch string(key) {
		case "status_code", "status":
			if v, ok := jsonstream.NumberValue(r.Text()); ok {
				e.status = &v
			}
		case "headers":
			e.extra = append(e.extra, e.headers(r)...)
		case "return_value":
			e.result = e.object(r, false)
		default:
			e.leaveField(r)
		}
	}
}

// headers reads texts by their names: one argument, even if there are no texts; none for null.
func (e *event) headers(r *jsonstream.Reader) []arg {
	there := r.Kind() == jsonstream.Object
	var fields []format.CapturedField
	for key := range r.Fields() {
		if e.room < 0 {
			e.to.Leave("header of a request with too many", "headers of requests with too many", 1, r.Offset())
			continue
		}
		name := string(key)
		text := string(r.AppendText(nil, jsonstream.MaxText/2))
		if len(text) > 1 && text[0] == '"' {
			text = text[1 : len(text)-1]
		}
		fields = append(fields, format.CapturedField{Name: name, Value: e.text(text)})
	}
	if !there {
		return nil
	}
	return []arg{{"headers", e.to.ObjectOf(fields, len(fields))}}
}

// message reads the parameters of a request, or those of a message by itself.
func (e *event) message(r *jsonstream.Reader) {
	if e.class == "" && e.method == "" {
		e.class, e.method = messageClass, "receive" // unless a request follows
	}
	e.parameters(r)
}
