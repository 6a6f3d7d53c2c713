package cli

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestInfoJSONDocs: docs/json.md has each member of info --json, and no other.
func TestInfoJSONDocs(t *testing.T) { documented(t, "info", reflect.TypeFor[facts]()) }

// TestOverviewJSONDocs: docs/json.md has each member of overview --json, and no other.
func TestOverviewJSONDocs(t *testing.T) { documented(t, "overview", reflect.TypeFor[overviewFacts]()) }

// documented compares the members of the JSON object of a command with its section of docs/json.md.
func documented(t *testing.T, command string, object reflect.Type) {
	t.Helper()
	page, err := os.ReadFile("../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	_, docs, ok := strings.Cut(string(page), "\n## `tracex "+command+" --json`\n")
	if !ok {
		t.Fatalf("docs/json.md has no section about %s --json", command)
	}
	docs, _, _ = strings.Cut(docs, "\n## ")
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
				if name != "" && name != "-" {
					members[name] = true
				}
				if name != "-" {
					add(f.Type)
				}
			}
		}
	}
	add(object)
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
				t.Errorf("%s --json has no member %s", command, word)
			}
		}
	}
}
