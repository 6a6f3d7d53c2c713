package lazy

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format/formattest"
)

// TestPrintJSONDocs: docs/print-json.md has each member, kind and type that
// lines have, and its sample is what is printed.
func TestPrintJSONDocs(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "docs", "print-json.md"))
	if err != nil {
		t.Fatal(err)
	}
	docs := string(b)
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
	} {
		var out bytes.Buffer
		if err := ready(t, path, Options{NoWrite: true}).Print(context.Background(), &out, PrintOptions{JSON: true}, Part{}); err != nil {
			t.Fatal(err)
		}
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

// undocumented fails for each word of a line that the documentation does not
// have.
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
