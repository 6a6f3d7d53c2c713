package spans

import (
	"strings"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/fit"
)

// Attributes that mean something, by the semantic conventions of OpenTelemetry, which Jaeger's tags follow.

// places are those that tell where in the source a span is made, by their new and old names.
var places = map[string]func(s *Span, v *format.Value){
	"code.function.name": func(s *Span, v *format.Value) { s.Function = v.Text },
	"code.function":      setFunction,
	"code.file.path":     func(s *Span, v *format.Value) { s.File = v.Text },
	"code.filepath":      func(s *Span, v *format.Value) { s.File = v.Text },
	"code.line.number":   setLine,
	"code.lineno":        setLine,
}

func setFunction(s *Span, v *format.Value) {
	if s.Function == "" {
		s.Function = v.Text
	}
}

func setLine(s *Span, v *format.Value) {
	if line, ok := fit.Line(v); ok {
		s.Line = line
	}
}

// TakePlace takes the place of the span from its attributes.
func (s *Span) TakePlace() {
	namespace, old := "", false
	kept := s.Args[:0]
	for i := range s.Args {
		a := &s.Args[i]
		set := places[a.Name]
		switch {
		case set != nil:
			set(s, &a.Value)
			old = old || a.Name == "code.function"
		case a.Name == "code.namespace":
			namespace = a.Value.Text
		default:
			kept = append(kept, *a)
		}
	}
	s.Args = kept
	if namespace != "" && (old || s.Function == "") && !strings.HasPrefix(s.Function, namespace) {
		s.Function = strings.Trim(namespace+"."+s.Function, ".")
	}
}

// SetEnd tells how the span ended, by its exceptions, and by error.type if it failed without one.
// message describes the failure.
func (s *Span) SetEnd(failed bool, message string) {
	for i := range s.Events {
		x := s.Events[i].Threw
		if x == nil {
			continue
		}
		x.Caught = !failed
		if failed {
			s.Threw = x.Class
			if message == x.Message || message == x.Class+": "+x.Message {
				message = ""
			}
		}
	}
	if failed && s.Threw == "" {
		s.Threw = "error"
		for _, a := range s.Args {
			if a.Name == "error.type" && a.Value.Text != "" {
				s.Threw = a.Value.Text
			}
		}
	}
	if message != "" {
		s.Add("status.message", calltrace.String(message))
	}
}

// SetKind adds the kind of the span: server, client, producer or consumer.
func (s *Span) SetKind(kind string) {
	if kind == "" {
		return
	}
	s.Add("span.kind", calltrace.String(kind))
	s.Entry = kind == "server" || kind == "consumer"
}

// exceptionFields are the attributes of an exception, and what each is.
var exceptionFields = map[string]func(x *Exception) *string{
	"exception.type":       func(x *Exception) *string { return &x.Class },
	"exception.message":    func(x *Exception) *string { return &x.Message },
	"exception.stacktrace": func(x *Exception) *string { return &x.Stack },
	// Of OpenTracing:
	"error.kind":   func(x *Exception) *string { return &x.Class },
	"error.object": func(x *Exception) *string { return &x.Message },
	"message":      func(x *Exception) *string { return &x.Message },
	"stack":        func(x *Exception) *string { return &x.Stack },
}

// TakeException makes an exception of the event, if its attributes tell of one, and returns how many of
// them have no place there.
func (e *Event) TakeException() (others int64) {
	x := Exception{}
	for _, a := range e.Args {
		field := exceptionFields[a.Name]
		switch {
		case field == nil && a.Name != "exception.escaped": // the status of the span tells
			others++
		case field != nil && *field(&x) == "":
			*field(&x) = a.Value.Text
		}
	}
	if x.Class == "" && x.Message == "" {
		return 0
	}
	if x.Class == "" {
		x.Class = "exception"
	}
	e.Threw, e.Args = &x, nil
	return others
}
