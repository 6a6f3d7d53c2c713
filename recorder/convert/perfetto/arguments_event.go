package perfetto

import (
	"strconv"

	"tracex/format/pbfield"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/fit"
)

// gather adds all arguments of an event. It returns its source location, with the
// number if it is interned.
func (a *arguments) gather(s *sequence, e *event) (at sourceLocation, iid uint64) {
	for _, b := range e.annotations {
		a.annotation(b)
	}
	a.left += e.unheard
	if !e.mixed {
		return at, 0
	}
	switch {
	case e.sourceIID != 0:
		if known, ok := s.locations[e.sourceIID]; ok {
			at, iid = known, e.sourceIID
		}
	case e.source != nil:
		_, at, _ = parseSourceLocation(e.source)
	}
	if e.log != nil {
		if from, ok := a.logMessage(s, e.log); ok && iid == 0 && at.file == nil {
			at = from
		}
	}
	if e.task != nil {
		a.task(s, e.task)
	}
	switch e.correlates {
	case pbfield.TrackEvent_CorrelationId:
		a.add("correlation", calltrace.Uint(e.correlation))
	case pbfield.TrackEvent_CorrelationIdStr:
		a.add("correlation", calltrace.String(a.d.Text(e.correlationIs)))
	case pbfield.TrackEvent_CorrelationIdStrIid:
		if known := s.find(pbfield.InternedData_CorrelationIdStr, e.correlation); known != nil {
			a.add("correlation", calltrace.String(a.d.Text(known.text)))
		}
	}
	if e.hasAsyncID && !a.asText {
		a.add("id", calltrace.Uint(e.asyncID))
	}
	a.flows("flow", e.flows, e.oldFlows)
	a.flows("flow end", e.flowEnds, e.oldFlowEnds)
	switch {
	case e.stack != nil:
		a.stack(e.stack)
	case e.stackIID != 0:
		a.internedStack(s, e.stackIID)
	}
	return at, iid
}

// flows adds the ids of flows; those of the older field only if there are no others:
// a writer that sets both means the same.
func (a *arguments) flows(name string, ids, old []uint64) {
	if len(ids) == 0 {
		ids = old
	}
	for _, id := range ids {
		a.add(name, hexadecimal(id))
	}
}

// priorities of log messages, by their numbers in a LogMessage.
var priorities = [...]string{"", "", "VERBOSE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"}

// logMessage adds a LogMessage, and returns its source location.
func (a *arguments) logMessage(s *sequence, b []byte) (at sourceLocation, ok bool) {
	f := fields{rest: b}
	for f.next() {
		switch f.number {
		case 1:
			at, ok = s.locations[f.value]
		case 2:
			if body := s.find(pbfield.InternedData_LogMessageBody, f.value); body != nil {
				a.add("message", calltrace.String(a.d.Text(body.text)))
			}
		case 3:
			if f.value < uint64(len(priorities)) && priorities[f.value] != "" {
				a.add("priority", calltrace.Unquoted(priorities[f.value]))
			}
		}
	}
	return at, ok
}

// task adds the source location of the task in a TaskExecution.
func (a *arguments) task(s *sequence, b []byte) {
	f := fields{rest: b}
	for f.next() {
		if at, ok := s.locations[f.value]; f.number == 1 && ok {
			text := string(at.function) + " at " + string(at.file) + ":" + strconv.Itoa(int(at.line))
			a.add("posted from", calltrace.Unquoted(a.d.Text([]byte(text))))
		}
	}
}

// stack adds a call stack that is part of its event.
func (a *arguments) stack(b []byte) {
	var names []string
	f := fields{rest: b}
	for f.next() {
		if f.number != 1 || len(names) >= maxStack {
			continue
		}
		name := ""
		g := fields{rest: f.raw}
		for g.next() {
			if g.number == 1 {
				name = string(g.raw)
			}
		}
		names = append(names, name)
	}
	a.addStack(names)
}

// internedStack adds an interned call stack.
func (a *arguments) internedStack(s *sequence, iid uint64) {
	stack, ok := s.stacks[iid]
	if !ok {
		a.left++
		return
	}
	var names []string
	for _, iid := range stack {
		call, ok := s.frames[iid]
		name := ""
		if known := s.find(pbfield.InternedData_FunctionNames, call.function); known != nil {
			name = string(known.text)
		}
		if name == "" && ok {
			name = "0x" + strconv.FormatUint(call.pc, 16)
		}
		names = append(names, name)
	}
	a.addStack(names)
}

// addStack adds the names of a stack's calls, innermost first.
func (a *arguments) addStack(names []string) {
	var text []byte
	for i := len(names) - 1; i >= 0 && len(text) < fit.SurelyFits; i-- {
		name := names[i]
		if name == "" {
			name = "?"
		}
		if len(text) > 0 {
			text = append(text, " < "...)
		}
		text = append(text, name...)
	}
	a.add("stack", calltrace.Unquoted(a.d.Text(text)))
}
