package lazy

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"tracex/format/formattest"
)

// TestPrintJSON: the contents of the lines, put together again, are the text.
func TestPrintJSON(t *testing.T) {
	for _, name := range []string{"allkinds.dump", "kotlin.stream", "roots.dump"} {
		if formattest.Race && name == "kotlin.stream" {
			continue // the largest
		}
		path := formattest.Unpack(t, name+".bin", name+".bin.idx")
		r := ready(t, path, Options{NoWrite: true})
		var out, want bytes.Buffer
		ctx := context.Background()
		if err := r.Print(ctx, &out, PrintOptions{JSON: true, Escape: true, Verbose: true}, PrintRange{}); err != nil {
			t.Fatal(err)
		}
		if err := r.Print(ctx, &want, PrintOptions{Verbose: true}, PrintRange{}); err != nil {
			t.Fatal(err)
		}
		threads := len(r.Threads())
		var got []byte
		for lines := bufio.NewScanner(&out); lines.Scan(); {
			var l struct {
				Thread, Depth    int64
				Event            *int32
				Kind, Name, Text string
				Place            struct {
					File string
					Line int
				}
			}
			if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
				t.Fatalf("%s: %v", lines.Bytes(), err)
			}
			switch {
			case l.Kind == "trace":
			case l.Event == nil && threads > 1:
				got = fmt.Appendf(got, "# Thread %d (%s)\n", l.Thread, l.Name)
			case l.Event == nil:
				got = fmt.Appendf(got, "# Thread %d\n", l.Thread)
			default:
				got = append(got, strings.Repeat("  ", int(l.Depth))+l.Text...)
				if !strings.HasPrefix(l.Text, "Live breakpoint") {
					got = fmt.Appendf(got, " at %s:%d", l.Place.File, l.Place.Line)
				}
				got = append(got, '\n')
			}
		}
		// A live breakpoint has its location within the text.
		plain := func(b []byte) []byte {
			lines := strings.Split(string(b), "\n")
			for i, l := range lines {
				if strings.Contains(l, "Live breakpoint") {
					lines[i], _, _ = strings.Cut(l, "]")
				}
			}
			return []byte(strings.Join(lines, "\n"))
		}
		formattest.SameText(t, plain(got), plain(want.Bytes()))
	}
}

// TestPrintJSONStrict: no line has half a surrogate pair, which some readers of
// JSON refuse and others change, and the unit of a character is not lost.
func TestPrintJSONStrict(t *testing.T) {
	r := ready(t, formattest.Unpack(t, "shapes.stream.bin", "shapes.stream.bin.idx"), Options{NoWrite: true})
	var out bytes.Buffer
	if err := r.Print(context.Background(), &out, PrintOptions{JSON: true}, PrintRange{}); err != nil {
		t.Fatal(err)
	}
	pair := regexp.MustCompile(`\\\\|\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}`)
	if half := regexp.MustCompile(`.*\\ud[89a-f].*`).FindString(pair.ReplaceAllString(out.String(), "")); half != "" {
		t.Errorf("half a pair is in %s", half)
	}
	if want := `{"type":"char","value":"\ufffd","unit":55357}`; !strings.Contains(out.String(), want) {
		t.Errorf("no %s", want)
	}
}
