package query

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
)

// TestHistoryOfText: in every real trace, the writes of each name that the text has, which the reference
// printed, are those of the fields and variables of the name: thread by thread, in the same order.
func TestHistoryOfText(t *testing.T) {
	checked, names := 0, 0
	for _, file := range formattest.RecordedNames(t, ".raw.txt") {
		name := strings.TrimSuffix(file, ".raw.txt")
		if strings.HasPrefix(name, "allkinds") || strings.HasPrefix(name, "roots") || formattest.Race && checked > 3 {
			continue // not of programs: names with parentheses, dots and blanks
		}
		checked++
		text := formattest.RecordedData(t, file)
		r := opened(t, formattest.Unpack(t, formattest.RecordedFor(t, name)))
		boxes := false // whose field has no name in the text
		r.WithContext(func(c *format.Context) {
			for d := range c.Classes() {
				boxes = boxes || strings.HasPrefix(d.Name, "kotlin.jvm.internal.Ref$")
			}
		})
		fields, objects := printedWrites(text)
		for _, key := range some(fields) {
			want := fields[key]
			if boxes && key == "element" {
				continue
			}
			names++
			if got := namedWrites(t, r, key); !boxes && fmt.Sprint(got) != fmt.Sprint(want) || boxes && !eachIn(got, want) {
				t.Errorf("%s: %s: %d threads\n got %v\nwant %v", name, key, len(want), got, want)
			}
		}
		for _, key := range some(objects) {
			want := objects[key]
			names++
			h := historyOf(t, r, Scope{Raw: true}, HistoryOptions{}, key, 0)
			got := make(map[int][]string)
			for _, s := range h.List() {
				if s.Kind == Written {
					got[int(s.Thread)] = append(got[int(s.Thread)], s.Value.Text)
				}
			}
			if !eachIn(want, got) { // the text names the object by its path elsewhere
				t.Errorf("%s: %s:\n got %v\nwant %v", name, key, got, want)
			}
		}
	}
	least := 100
	if formattest.Race {
		least = 20 // of four traces
	}
	if checked < 4 || names < least {
		t.Errorf("only %d traces, %d names", checked, names)
	}
}

var (
	printedThread = regexp.MustCompile(`^# Thread (\d+)`)
	printedField  = regexp.MustCompile(`^(?:.*\.)?([A-Za-z_][\w$]*)$`)
	printedObject = regexp.MustCompile(`^([\w.$;\[]+@-?\d+)(\.\w+|\[-?\d+\])$`)
)

// some returns at most 40 keys of a map, from all of it; 10 under the race detector.
func some(of map[string]map[int][]string) (keys []string) {
	all, most := slices.Sorted(maps.Keys(of)), 40
	if formattest.Race {
		most = 10
	}
	for i := 0; i < len(all); i += len(all)/most + 1 {
		keys = append(keys, all[i])
	}
	return keys
}

// printedWrites reads the writes of a printed trace: by the name of the field or variable, and by
// object or array with its field or index where the text has those; each by thread.
func printedWrites(text []byte) (fields, objects map[string]map[int][]string) {
	fields, objects = make(map[string]map[int][]string), make(map[string]map[int][]string)
	add := func(to map[string]map[int][]string, key string, thread int, value string) {
		if to[key] == nil {
			to[key] = make(map[int][]string)
		}
		to[key][thread] = append(to[key][thread], value)
	}
	thread := 0
	for line := range joined(text) {
		if m := printedThread.FindStringSubmatch(line); m != nil {
			thread, _ = strconv.Atoi(m[1])
			thread--
			continue
		}
		line = strings.TrimLeft(line, " ")
		for _, mark := range []string{"+ ", "- ", "! "} {
			line = strings.TrimPrefix(line, mark)
		}
		if _, call := parsePrinted(line); call {
			continue
		}
		left, value, ok := strings.Cut(line, " = ")
		if !ok || strings.ContainsAny(left, " ()➜\"'") {
			continue
		}
		if m := printedField.FindStringSubmatch(left); m != nil {
			add(fields, m[1], thread, value)
		}
		if printedObject.MatchString(left) {
			add(objects, left, thread, value)
		}
	}
	return fields, objects
}

// namedWrites returns the values written to all fields and variables of a name, by thread.
func namedWrites(t *testing.T, r *lazy.LazyTraceReader, name string) map[int][]string {
	t.Helper()
	texts := []string{name}
	_, err := ParseLocation(t.Context(), r, name, "")
	var many *ManyLocationsError
	if errors.As(err, &many) {
		texts = many.Choices
	} else if err != nil {
		t.Errorf("%s: %v", name, err)
		return nil
	}
	var all []Sighting
	for _, text := range texts {
		all = append(all, historyOf(t, r, Scope{Raw: true}, HistoryOptions{}, text, 0).List()...)
	}
	slices.SortStableFunc(all, func(a, b Sighting) int { return int(a.pos - b.pos) })
	out := make(map[int][]string)
	for _, s := range all {
		if s.Kind == Written {
			out[int(s.Thread)] = append(out[int(s.Thread)], s.Value.Text)
		}
	}
	return out
}

// eachIn reports whether the lists of a are in those of b, in this order, perhaps among others.
func eachIn(a, b map[int][]string) bool {
	for thread, list := range a {
		in := b[thread]
		for _, v := range list {
			i := slices.Index(in, v)
			if i < 0 {
				return false
			}
			in = in[i+1:]
		}
	}
	return true
}
