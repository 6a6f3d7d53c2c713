package chrome

import "bytes"

// Is reports whether a file that begins with head is such a trace.
func Is(head []byte) bool {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	rest := bytes.TrimLeft(head, " \t\r\n,")
	switch {
	case len(rest) == 0:
		return false
	case rest[0] == '[':
		rest = bytes.TrimLeft(rest[1:], " \t\r\n,")
		if len(rest) > 0 && rest[0] == ']' { // of no events, if nothing follows
			return len(bytes.TrimSpace(rest[1:])) == 0
		}
		return len(rest) > 0 && rest[0] == '{' && hasPhase(rest)
	case rest[0] != '{':
		return false
	}
	for _, key := range []string{`"traceEvents"`, `"displayTimeUnit"`, `"deviceProperties"`, `"systemTraceEvents"`} {
		if bytes.Contains(rest, []byte(key)) {
			return true
		}
	}
	return hasPhase(rest)
}

// hasPhase reports whether there is the phase of an event: "ph": "X".
func hasPhase(head []byte) bool {
	for {
		i := bytes.Index(head, []byte(`"ph"`))
		if i < 0 {
			return false
		}
		head = bytes.TrimLeft(head[i+len(`"ph"`):], " \t\r\n")
		if len(head) == 0 || head[0] != ':' {
			continue
		}
		value := bytes.TrimLeft(head[1:], " \t\r\n")
		if len(value) >= 3 && value[0] == '"' && value[2] == '"' {
			return true
		}
	}
}
