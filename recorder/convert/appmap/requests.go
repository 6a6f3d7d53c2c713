package appmap

import (
	"strings"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/jsonstream"
)

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
