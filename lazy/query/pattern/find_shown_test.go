package pattern

import (
	"slices"
	"testing"

	"tracex/lazy"
)

// TestFindsShown: texts about a call in details and sources find it, if they are more than the
// name of a package or of a file.
func TestFindsShown(t *testing.T) {
	r := recorded(t, "gson.dump")
	rows := allRows(t, r.Tree(true))
	hits := func(what string, expr bool) (list []lazy.Position) {
		p := New(what, expr)
		err := r.Search(t.Context(), lazy.Search{Folded: true, Find: p.Find, Limits: p.Limits}, func(f lazy.Found) {
			for _, h := range f.Hits {
				list = append(list, h.Position)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	var calls, located []lazy.Position // of one method; at one location
	location := ""
	for _, row := range rows {
		if row.Full == "com.google.gson.Gson.toJson" {
			calls = append(calls, row.position)
			location = row.Location
		}
	}
	for _, row := range rows {
		if row.Location == location {
			located = append(located, row.position)
		}
	}
	if len(calls) < 2 || len(located) == 0 || location == "" {
		t.Fatalf("%d calls, %d at %s: the test shows nothing", len(calls), len(located), location)
	}
	for what, want := range map[string][]lazy.Position{
		"com.google.gson.Gson.toJson": calls, "com.google.gson.Gson.toJson()": calls, "gson.Gson.toJson(": calls, location: located,
	} {
		got := hits(what, false)
		for _, at := range want {
			if !slices.Contains(got, at) {
				t.Errorf("%s is not found at %+v", what, at)
			}
		}
		if what != location && len(got) != len(want) {
			t.Errorf("%s: %d hits, want %d", what, len(got), len(want))
		}
	}
	// The name of a package, or of a file, is not the name of a call.
	if n := len(hits("google", false)); n > len(rows)/10 {
		t.Errorf("google: %d hits of %d rows", n, len(rows))
	}
	all := 0
	for _, row := range rows {
		if len(row.Full) > 4 && row.Full[:4] == "com." {
			all++
		}
	}
	if n := len(hits("com.google", false)); n < all {
		t.Errorf("com.google: %d hits, want %d at least", n, all)
	}
}

// TestLitFull: in a call found by its full name, the method's name is highlighted.
func TestLitFull(t *testing.T) {
	named := lazy.Named{Text: []byte(`gson.toJson("a"): 1`), At: 5, Call: "Gson.toJson", Class: 4, Full: "org.Gson.toJson", FullClass: 8, Location: "Gson.java:7"}
	for what, want := range map[string]string{
		"org.gson.to": "to", "org.Gson": "toJson", "org.Gson.toJson(": "toJson(", `rg.Gson.toJson("a`: `toJson("a`, "Gson.toJ": "toJ", "Gson.java:7": "", "other": "",
	} {
		got := ""
		for _, at := range NameRanges(&named, New(what, false), len(named.Text)) {
			got += string(named.Text[at[0]:at[1]])
		}
		if got != want {
			t.Errorf("%s lights %q, want %q", what, got, want)
		}
	}
}
