package lazy

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tracex/format/formattest"
)

// TestPrintJSON: what the lines say, put together again, is the text.
func TestPrintJSON(t *testing.T) {
	for _, name := range []string{"allkinds.dump", "kotlin.stream", "roots.dump"} {
		path := formattest.Unpack(t, name+".bin", name+".bin.idx")
		r := ready(t, path, Options{NoWrite: true})
		var out, want bytes.Buffer
		ctx := context.Background()
		if err := r.Print(ctx, &out, PrintOptions{JSON: true, Escape: true, Verbose: true}, Part{}); err != nil {
			t.Fatal(err)
		}
		if err := r.Print(ctx, &want, PrintOptions{Verbose: true}, Part{}); err != nil {
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
		// A live breakpoint has its place within the text.
		plain := func(b []byte) []byte {
			lines := strings.Split(string(b), "\n")
			for i, l := range lines {
				if strings.Contains(l, "Live breakpoint") {
					lines[i], _, _ = strings.Cut(l, "]")
				}
			}
			return []byte(strings.Join(lines, "\n"))
		}
		sameText(t, plain(got), plain(want.Bytes()))
	}
}
