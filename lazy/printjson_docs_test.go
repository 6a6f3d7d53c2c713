package lazy

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format/formattest"
)

// TestPrintJSONDocs: docs/json.md has each member, kind and type that
// lines have, and its example is real output.
func TestPrintJSONDocs(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "docs", "json.md"))
	if err != nil {
		t.Fatal(err)
	}
	docs, _, ok := strings.Cut(string(b), "\n## `tracex info --json`\n")
	if !ok {
		t.Fatal("docs/json.md has no section about info --json")
	}
	said := make(map[string]bool)
	for i, word := range strings.Split(docs, "`") {
		if i%2 == 1 {
			said[word] = true
		}
	}
	spec := formattest.Spec{Shape: formattest.Random, N: 3000, Timed: true}
	for _, path := range []string{
		formattest.File(t, spec),
		formattest.Unpack(t, "allkinds.dump.bin", "allkinds.dump.bin.idx"),
		formattest.Unpack(t, "crash.stream.bin", "crash.stream.bin.idx"),
		formattest.Unpack(t, "shapes.stream.bin", "shapes.stream.bin.idx"),
		formattest.Unpack(t, "allkinds.v27.dump.bin"),
		formattest.Unpack(t, "live.v27.packedtrace"),
		formattest.Unpack(t, "shapes.v27.stream.bin"),
	} {
		var out bytes.Buffer
		if err := ready(t, path, Options{NoWrite: true}).Print(context.Background(), &out, PrintOptions{JSON: true}, Part{}); err != nil {
			t.Fatal(err)
		}
		noTwins(t, out.Bytes())
		for dec := json.NewDecoder(&out); dec.More(); {
			var line map[string]any
			if err := dec.Decode(&line); err != nil {
				t.Fatal(err)
			}
			undocumented(t, said, line)
		}
	}
	var sample bytes.Buffer
	r := ready(t, formattest.Unpack(t, "threads.stream.bin", "threads.stream.bin.idx"), Options{NoWrite: true})
	if err := r.PrintEvent(context.Background(), &sample, PrintOptions{JSON: true, Folded: true}, 30, false, Part{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(docs, "```json\n"+sample.String()+"```") {
		t.Errorf("the sample is not what is printed:\n%s", sample.String())
	}
}

// noTwins fails if an object has two members of the same name, of which readers
// drop one.
func noTwins(t *testing.T, lines []byte) {
	type object struct {
		names map[string]bool // nil for an array
		key   bool            // a name is next
	}
	var open []object
	for dec := json.NewDecoder(bytes.NewReader(lines)); ; {
		token, err := dec.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if n := len(open) - 1; n >= 0 && open[n].names != nil && open[n].key {
			if name, ok := token.(string); ok {
				if open[n].names[name] {
					t.Errorf("two members %s in one object", name)
				}
				open[n].names[name], open[n].key = true, false
				continue
			}
		}
		switch token {
		case json.Delim('{'):
			open = append(open, object{make(map[string]bool), true})
			continue
		case json.Delim('['):
			open = append(open, object{})
			continue
		case json.Delim('}'), json.Delim(']'):
			open = open[:len(open)-1]
		}
		if n := len(open) - 1; n >= 0 {
			open[n].key = open[n].names != nil
		}
	}
}

// undocumented fails for each word of a line that is missing in the documentation.
func undocumented(t *testing.T, said map[string]bool, v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			undocumented(t, said, e)
		}
	case map[string]any:
		for name, e := range v {
			if !said[name] {
				t.Errorf("no word about the member %s", name)
				said[name] = true
			}
			if word, ok := e.(string); ok && (name == "kind" || name == "type") && !said[word] {
				t.Errorf("no word about the %s %s", name, word)
				said[word] = true
			}
			undocumented(t, said, e)
		}
	}
}
