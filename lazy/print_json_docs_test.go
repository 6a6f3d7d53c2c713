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
	if formattest.Race {
		t.Skip("it is about names, and other tests print with several goroutines")
	}
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
		for _, depth := range []int{0, 1} {
			if err := ready(t, path, Options{NoWrite: true}).Print(context.Background(), &out, PrintOptions{JSON: true, MaxDepth: depth}, PrintRange{}); err != nil {
				t.Fatal(err)
			}
		}
		eachMember(t, out.Bytes(), func(name string, value json.Token) {
			if !said[name] {
				t.Errorf("no word about the member %s", name)
				said[name] = true
			}
			if word, ok := value.(string); ok && (name == "kind" || name == "type") && !said[word] {
				t.Errorf("no word about the %s %s", name, word)
				said[word] = true
			}
		})
	}
	var sample bytes.Buffer
	r := ready(t, formattest.Unpack(t, "threads.stream.bin", "threads.stream.bin.idx"), Options{NoWrite: true})
	if err := r.PrintEvent(context.Background(), &sample, PrintOptions{JSON: true, Folded: true}, 30, false, PrintRange{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(docs, "```json\n"+sample.String()+"```") {
		t.Errorf("the sample is not what is printed:\n%s", sample.String())
	}
}

// eachMember calls f with the members of all objects of JSON text, each with the first token
// of its value. It fails if an object has two members of the same name, of which readers
// drop one.
func eachMember(t *testing.T, lines []byte, f func(name string, value json.Token)) {
	type object struct {
		names map[string]bool // nil for an array
		key   bool            // a name is next
		name  string          // the last one
	}
	var open []object
	var free []map[string]bool // cleared, for the next object
	for dec := json.NewDecoder(bytes.NewReader(lines)); ; {
		token, err := dec.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if n := len(open) - 1; n >= 0 && open[n].names != nil {
			in := &open[n]
			if name, ok := token.(string); ok && in.key {
				if in.names[name] {
					t.Errorf("two members %s in one object", name)
				}
				in.names[name], in.key, in.name = true, false, name
				continue
			}
			if token != json.Delim('}') {
				f(in.name, token)
			}
		}
		switch token {
		case json.Delim('{'):
			names := make(map[string]bool)
			if n := len(free) - 1; n >= 0 {
				names, free = free[n], free[:n]
			}
			open = append(open, object{names: names, key: true})
			continue
		case json.Delim('['):
			open = append(open, object{})
			continue
		case json.Delim('}'), json.Delim(']'):
			if n := len(open) - 1; open[n].names != nil {
				clear(open[n].names)
				free = append(free, open[n].names)
			}
			open = open[:len(open)-1]
		}
		if n := len(open) - 1; n >= 0 {
			open[n].key = open[n].names != nil
		}
	}
}
