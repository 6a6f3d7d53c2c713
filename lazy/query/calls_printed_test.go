package query

import (
	"fmt"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/query/display"
)

// TestCallsOfPrinted: in every real trace the calls, their arguments, results and threads are those
// that the text tells that the reference printed.
func TestCallsOfPrinted(t *testing.T) {
	checked := 0
	for name, file := range printedTexts(t) {
		checked++
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := opened(t, formattest.Unpack(t, formattest.RecordedFor(t, name)))
			c, err := NewCalls(r, Scope{Raw: true}, CallsOptions{What: "kind=call", Sort: "event"})
			if err == nil {
				err = c.Run(t.Context(), nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			got := c.Table(View{Done: 1, Read: t.Context(), G: &display.Unicode})
			n, thread, args, odd := 0, 0, 0, 0
			for line := range joined(formattest.RecordedData(t, file)) {
				if strings.HasPrefix(line, "# Thread ") {
					fmt.Sscanf(line, "# Thread %d", &thread)
					continue
				}
				x, ok := parsePrinted(line)
				if !ok {
					continue
				}
				if n >= got.Rows.Len() {
					n++
					continue
				}
				row := got.Rows.Row(n)
				n++
				var values []string
				for i := 1; cell(got, row, fmt.Sprintf("arg_%d", i)) != ""; i++ {
					values = append(values, cell(got, row, fmt.Sprintf("arg_%d", i)))
				}
				if !printedFor(x.args, values) {
					t.Fatalf("%s: arguments %q", line, values)
				}
				args += len(values)
				have, want := cell(got, row, "result"), printedResult(x)
				if _, ok := printedArgs(x.args); !ok {
					odd++
					if have != "void" && !strings.Contains(line, have) {
						t.Fatalf("%s: result %q", line, have)
					}
				} else if have != want {
					t.Fatalf("%s: result %q, want %q", line, have, want)
				}
				if cell(got, row, "thread") != fmt.Sprint(thread) {
					t.Fatalf("%s: thread %s, want %d", line, cell(got, row, "thread"), thread)
				}
			}
			if n != got.Rows.Len() {
				t.Errorf("%d calls, the text has %d", got.Rows.Len(), n)
			}
			if odd > max(20, n/100) {
				t.Errorf("the arguments of %d calls were not read", odd)
			}
			t.Logf("%d calls, %d arguments, %d not read", n, args, odd)
		})
	}
	if checked < 8 {
		t.Errorf("only %d traces", checked)
	}
}

// printedFor reports whether these arguments may be printed so. Objects that are this are not printed.
func printedFor(text string, values []string) bool {
	printed, ok := printedArgs(text)
	if !ok {
		return true // a string with quotes in it
	}
	for _, value := range values {
		switch {
		case len(printed) > 0 && printedAs(printed[0], value):
			printed = printed[1:]
		case len(printed) == len(values) || !strings.Contains(value, "@"):
			return false
		}
	}
	return len(printed) == 0
}

// printedArgs splits arguments at their commas.
func printedArgs(text string) (list []string, ok bool) {
	parens, from := 0, 0
	for i := 0; i < len(text); i++ {
		n := quotedLength(text[i:])
		switch {
		case n > 0:
			i += n - 1
			if rest := text[i+1:]; parens == 0 && rest != "" && !strings.HasPrefix(rest, ", ") {
				return nil, false
			}
		case text[i] == '(':
			parens++
		case text[i] == ')':
			parens--
		case parens == 0 && strings.HasPrefix(text[i:], ", "):
			list, from = append(list, text[from:i]), i+2
		}
	}
	if text != "" {
		list = append(list, text[from:])
	}
	return list, true
}

// printedAs reports whether an argument may be printed so: as its value, as an expression and its
// value, or, of an object, as the expression alone.
func printedAs(printed, value string) bool {
	if _, after, ok := strings.Cut(printed, " ➜ "); ok && after != "" && quotedLength(printed) == 0 {
		return strings.HasSuffix(value, strings.TrimPrefix(after, "."))
	}
	expression := printed == "" || quotedLength(printed) == 0 && !strings.Contains(printed, "@") && !strings.ContainsAny(printed[:1], "-0123456789")
	return printed == value || (strings.Contains(value, "@") || value == "null" || value == "Unit") && expression
}

// printedResult returns the result of a printed call as a table shows it.
func printedResult(x printedCall) string {
	text := x.after
	if i := strings.LastIndex(text, " at "); i >= 0 {
		text = text[:i]
	}
	text, ok := strings.CutPrefix(text, ": ")
	switch {
	case !ok:
		return "void"
	case text == format.UnfinishedMethod:
		return "did not end"
	case x.threw:
		return "✗ " + strings.TrimPrefix(text, "threw ")
	}
	return text
}
