package cli

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestInfoJSONDocs: docs/json.md has each member of info --json, and no other.
func TestInfoJSONDocs(t *testing.T) {
	page, err := os.ReadFile("../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	_, docs, ok := strings.Cut(string(page), "\n## `tracex info --json`\n")
	if !ok {
		t.Fatal("docs/json.md has no section about info --json")
	}
	members := make(map[string]bool)
	var add func(reflect.Type)
	add = func(of reflect.Type) {
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice:
			add(of.Elem())
		case reflect.Struct:
			for i := range of.NumField() {
				f := of.Field(i)
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				members[name] = true
				add(f.Type)
			}
		}
	}
	add(reflect.TypeFor[facts]())
	for name := range members {
		if !strings.Contains(docs, "`"+name+"`") {
			t.Errorf("docs/json.md does not have %s", name)
		}
		if strings.Contains(name, "point") {
			t.Errorf("%s: the word is event", name)
		}
	}
	for _, line := range strings.Split(docs, "\n") {
		first, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " |")
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		for i, word := range strings.Split(first, "`") {
			if i%2 == 1 && !members[word] {
				t.Errorf("info --json has no member %s", word)
			}
		}
	}
}
