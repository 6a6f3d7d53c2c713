package otlp

import (
	"strings"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/jsonstream"
	"tracex/recorder/convert/spans"
)

// Spans that tracex itself has exported become the calls that they were, as far as they can: values that are no
// numbers and no booleans are texts, arguments have lost their names, and points other than calls and throws are gone.

// ownScope is the scope of these spans.
const ownScope = "tracex"

func (c *converter) exported() bool {
	return len(c.scope) > 0 && c.scope[0].Name == scopeName && c.scope[0].Value.Text == ownScope
}

// ownAttributes are what they have, beside places, and what becomes of each.
var ownAttributes = map[string]func(s *spans.Span, v *format.Value){
	"thread.id":          func(s *spans.Span, v *format.Value) {},
	"thread.name":        func(s *spans.Span, v *format.Value) { s.Thread = v.Text },
	"exception.type":     func(s *spans.Span, v *format.Value) { s.Threw = v.Text },
	"tracex.unfinished":  func(s *spans.Span, v *format.Value) { s.Unfinished = v.Bits != 0 },
	"tracex.called.from": calledFrom,
	"tracex.result":      func(s *spans.Span, v *format.Value) { result := *v; s.Result = &result },
	"tracex.receiver": func(s *spans.Span, v *format.Value) {
		receiver := calltrace.Unquoted(v.Text)
		s.Receiver = &receiver
	},
}

// calledFrom sets the place of the call, FILE:LINE.
func calledFrom(s *spans.Span, v *format.Value) {
	s.File, s.Line = v.Text, 0
	if i := strings.LastIndexByte(v.Text, ':'); i >= 0 {
		if line, ok := jsonstream.Decimal([]byte(v.Text[i+1:]), 0); ok && line > 0 && line < 1<<31 {
			s.File, s.Line = v.Text[:i], int(line)
		}
	}
}

// takeCall makes the span the call that it was.
func (c *converter) takeCall() {
	s := &c.span
	// The place that was taken is that of the method; that of the call is an attribute.
	method := s.Function
	s.File, s.Function, s.Line = "", "", 0
	kept := s.Args[:0]
	for i := range s.Args {
		a := &s.Args[i]
		if set := ownAttributes[a.Name]; set != nil {
			set(s, &a.Value)
			continue
		}
		if number, ok := strings.CutPrefix(a.Name, "tracex.arg."); ok && strings.Trim(number, "0123456789") == "" {
			a.Name = ""
		}
		kept = append(kept, *a)
	}
	s.Args = kept
	if i := strings.LastIndexByte(method, '.'); i > 0 && i < len(method)-1 {
		s.Class, s.Name = method[:i], method[i+1:]
	}
	if c.status.failed && s.Threw == "" {
		s.Threw = "error"
	}
	for i := range s.Events {
		if x := s.Events[i].Threw; x != nil {
			x.Caught = false
		}
	}
}
