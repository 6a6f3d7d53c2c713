package query

import (
	"bytes"
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// printedCall is what a line of a printed trace tells about a call.
type printedCall struct {
	name  string // as shown, without class or receiver: "get", "new Gson"
	threw bool
	depth int
	args  string // between the parentheses
	after string // behind them
}

var threwAtEnd = regexp.MustCompile(`\): threw [^ ]*( at .*)?$`)

// parsePrinted reads a line of a trace that the reference printed. ok is false if the line is not
// a call: calls are recognized by a parenthesis before any " = " or " ➜ " outside of literals.
func parsePrinted(line string) (c printedCall, ok bool) {
	text := strings.TrimLeft(line, " ")
	c.depth = (len(line) - len(text)) / 2
	for _, mark := range []string{"+ ", "- ", "! "} { // of a diff: lines without one have two blanks more
		if rest, marked := strings.CutPrefix(text, mark); marked {
			text = rest
			c.depth++
			break
		}
	}
	for _, other := range []string{"<iteration ", "catch(", "throw ", "Live breakpoint "} {
		if strings.HasPrefix(text, other) {
			return c, false
		}
	}
	if regexp.MustCompile(`^loop\(\d+ iterations\)`).MatchString(text) {
		return c, false
	}
	end, start, parens, last := -1, 0, 0, len(text)-1
	for i := 0; i < len(text); i++ {
		rest := text[i:]
		n := quotedLength(rest)
		switch {
		case n > 0:
			i += n - 1
		case rest[0] == '(':
			if parens++; parens == 1 {
				end = i
			}
		case rest[0] == ')':
			if parens--; parens > 0 {
				continue
			}
			if !strings.HasPrefix(rest, ").") { // of an object: StringBuilder@1("text").append("x")
				last, i = i, len(text)
			}
		case parens > 0:
		case strings.HasPrefix(rest, " = "), strings.HasPrefix(rest, " ➜ "):
			return c, false
		case rest[0] == '.':
			start = i + 1
		}
	}
	if end < 0 {
		return c, false
	}
	c.name, c.args, c.after = text[start:end], text[end+1:last], text[last+1:]
	for _, making := range []string{"new ", "super@"} { // whose class may have dots
		if class, made := strings.CutPrefix(text[:end], making); made {
			c.name = "new " + class
		}
	}
	c.threw = threwAtEnd.MatchString(text)
	return c, true
}

// quotedLength returns the length of the string or the character at the start of a text; 0 if there
// is none.
func quotedLength(text string) int {
	switch text[0] {
	case '"':
		for i := 1; i < len(text); i++ {
			if text[i] == '\\' {
				i++
			} else if text[i] == '"' {
				return i + 1
			}
		}
	case '\'':
		_, n := utf8.DecodeRuneInString(text[1:])
		if strings.HasPrefix(text[1+n:], "'") {
			return n + 2
		}
	}
	return 0
}

// joined joins the lines that the reference broke: it prints line breaks as they are in characters.
func joined(text []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		line := ""
		for part := range strings.Lines(string(text)) {
			line += part
			if strings.HasSuffix(line, " '\n") && !strings.HasSuffix(line, "' '\n") || strings.HasSuffix(line, "('\n") {
				continue
			}
			if !yield(strings.TrimSuffix(line, "\n")) {
				return
			}
			line = ""
		}
	}
}

// printedSums are sums by name, from a printed trace.
type printedSums struct{ calls, threw, own int64 }

// addPrinted adds up the lines of a printed trace by indentation only.
func addPrinted(text []byte) (by map[string]*printedSums, points int64) {
	by = make(map[string]*printedSums)
	var open []printedCall
	for line := range joined(text) {
		if strings.HasPrefix(line, "# Thread ") {
			open = nil
			continue
		}
		c, call := parsePrinted(line)
		for len(open) > 0 && open[len(open)-1].depth >= c.depth {
			open = open[:len(open)-1]
		}
		points++
		if call {
			if by[c.name] == nil {
				by[c.name] = new(printedSums)
			}
			by[c.name].calls++
			if c.threw {
				by[c.name].threw++
			}
			open = append(open, c)
		}
		if len(open) > 0 {
			by[open[len(open)-1].name].own++
		}
	}
	return by, points
}

// printedTexts returns the names of the real traces, with the texts that the reference printed of them: as recorded,
// with locations where there is such a text.
func printedTexts(t *testing.T) iter.Seq2[string, string] {
	t.Helper()
	verbose := formattest.RecordedNames(t, ".raw.verbose.txt")
	return func(yield func(name, file string) bool) {
		for _, file := range formattest.RecordedNames(t, ".raw.txt") {
			name := strings.TrimSuffix(file, ".raw.txt")
			if strings.HasPrefix(name, "allkinds") || strings.HasPrefix(name, "roots") {
				continue // not of programs: names with parentheses, dots and blanks
			}
			if strings.HasPrefix(name, "flat") && !formattest.Exhaustive() {
				continue // one loop that calls one method 60,000 times takes long
			}
			if formattest.Race && len(formattest.RecordedData(t, file)) > 1<<20 {
				continue
			}
			if with := name + ".raw.verbose.txt"; slices.Contains(verbose, with) {
				file = with
			}
			if !yield(name, file) {
				return
			}
		}
	}
}

// TestTopOfPrinted: in every real trace, calls, calls that threw and own points are those that the
// text tells that the reference printed. The text has no class for most calls, so methods of the
// same name count together.
func TestTopOfPrinted(t *testing.T) {
	checked := 0
	for name, file := range printedTexts(t) {
		checked++
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, points := addPrinted(formattest.RecordedData(t, file))
			r := opened(t, formattest.Unpack(t, formattest.RecordedFor(t, name)))
			top := counted(t, r, Scope{Raw: true}, ByMethod, 0)
			got := make(map[string]*printedSums)
			r.WithContext(func(c *format.Context) {
				for i, g := range top.groups.list() {
					shown := c.MethodName(g.ID)
					if shown == "<init>" {
						shown, _ = c.CallName(g.ID, 0)
					}
					if got[shown] == nil {
						got[shown] = new(printedSums)
					}
					row := top.rows[i]
					got[shown].calls += row.Calls
					got[shown].threw += row.Threw
					got[shown].own += row.Own
				}
			})
			if top.all.Points != points {
				t.Errorf("%d points, the text has %d", top.all.Points, points)
			}
			for key := range maps.Keys(want) {
				if got[key] == nil || *got[key] != *want[key] {
					t.Errorf("%q: %+v, the text tells %+v", key, got[key], want[key])
				}
			}
			if len(got) != len(want) {
				t.Errorf("%d names, the text has %d", len(got), len(want))
			}
		})
	}
	if checked < 10 {
		t.Errorf("only %d traces", checked)
	}
}

// TestTexts: the tables of a real trace without times, and of one with times, as printed.
func TestTexts(t *testing.T) {
	for name, r := range map[string]*lazy.LazyTraceReader{
		"gson": opened(t, formattest.Unpack(t, "gson.stream.bin")),
		"shop": opened(t, shop(t)),
	} {
		top := counted(t, r, Scope{}, ByMethod, 0)
		for _, width := range []int{60, 100, 160} {
			var out bytes.Buffer
			view := View{Done: 1, G: &display.Unicode}
			if err := table.WriteText(&out, top.Table(view), table.Options{Width: width, Limit: 12, Glyphs: view.G}); err != nil {
				t.Fatal(err)
			}
			golden(t, fmt.Sprintf("top-%s-%d.txt", name, width), out.Bytes())
			out.Reset()
			throws := threw(t, r, Scope{}, 0).Table(View{Done: 1, G: view.G})
			if err := table.WriteText(&out, throws, table.Options{Width: width, Glyphs: view.G}); err != nil {
				t.Fatal(err)
			}
			golden(t, fmt.Sprintf("throws-%s-%d.txt", name, width), out.Bytes())
		}
	}
}
