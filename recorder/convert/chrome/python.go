package chrome

import (
	"strings"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
)

// pythonValue returns the value that Python shows as a text.
func pythonValue(text string) format.Value {
	switch text {
	case "True", "False":
		return calltrace.Bool(text == "True")
	case "", "nan", "inf", "-inf", "NaN", "Inf", "infinity":
		return calltrace.Unquoted(text)
	}
	switch c := text[0]; {
	case c == '\'' || c == '"':
		// Without escapes and quotes it is what is between the quotes.
		if n := len(text); n > 1 && text[n-1] == c && strings.IndexByte(text[1:n-1], c) < 0 && strings.IndexByte(text, '\\') < 0 {
			return calltrace.String(text[1 : n-1])
		}
	case c >= '0' && c <= '9' || c == '-':
		return calltrace.Number(text)
	}
	return calltrace.Unquoted(text)
}
