package export

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query"
)

// speedscopeFile is a file of speedscope, with the members that its file-format-spec.ts has.
type speedscopeFile struct {
	Schema             string `json:"$schema"`
	Exporter, Name     string
	ActiveProfileIndex int
	Profiles           []struct {
		Type, Name, Unit     string
		StartValue, EndValue *float64
		Events               []speedscopeEvent
	}
	Shared struct {
		Frames []struct {
			Name *string
			File string
			Line *int
		}
	}
}

type speedscopeEvent struct {
	Type  string
	Frame *int
	At    *float64
}

// readSpeedscope reads a file as strictly as possible: it has no other members, events are in order, they nest, and all
// frames exist and have names.
func readSpeedscope(t *testing.T, b []byte) *speedscopeFile {
	t.Helper()
	var f speedscopeFile
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		t.Fatal(err)
	}
	if f.Schema != "https://www.speedscope.app/file-format-schema.json" || f.Exporter == "" {
		t.Fatalf("schema %q, exporter %q", f.Schema, f.Exporter)
	}
	for _, p := range f.Profiles {
		if p.Type != "evented" || p.Unit != "nanoseconds" && p.Unit != "none" || p.StartValue == nil || p.EndValue == nil || p.Name == "" {
			t.Fatalf("profile %q of %s", p.Name, p.Type)
		}
		now := *p.StartValue
		var open []int
		for i, e := range p.Events {
			if *e.At < now || *e.At > *p.EndValue {
				t.Fatalf("%s: event %d is at %v, not from %v to %v", p.Name, i, *e.At, now, *p.EndValue)
			}
			if now = *e.At; *e.Frame < 0 || *e.Frame >= len(f.Shared.Frames) || *f.Shared.Frames[*e.Frame].Name == "" {
				t.Fatalf("%s: event %d has frame %d", p.Name, i, *e.Frame)
			}
			switch n := len(open); {
			case e.Type == "O":
				open = append(open, *e.Frame)
			case e.Type != "C" || n == 0 || open[n-1] != *e.Frame:
				t.Fatalf("%s: event %d is %s of frame %d, open are %v", p.Name, i, e.Type, *e.Frame, open)
			default:
				open = open[:n-1]
			}
		}
		if len(open) > 0 {
			t.Fatalf("%s: %v are open at the end", p.Name, open)
		}
	}
	return &f
}

// TestSpeedscope: each profile has the calls of its thread, in order, with their depths; the events are those of JSON lines
// where clocks agree. However the pass is cut, the file is the same.
func TestSpeedscope(t *testing.T) {
	some(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		for name, scope := range scopes(t, r) {
			j := job(t, r, Options{Scope: scope, Title: "a \"title\"\n", Program: "tracex@1.2.3"})
			b := written(t, j, "speedscope")
			f := readSpeedscope(t, b)
			if f.Name != j.Title || f.Exporter != "tracex@1.2.3" {
				t.Errorf("name %q, exporter %q", f.Name, f.Exporter)
			}
			if name == "all" || name == "time" || name == "drop" {
				j.share = shareOf(r, shares[1])
				same(t, name+" in parts", written(t, j, "speedscope"), b)
			}
			calls := callsOf(t, r, scope)
			at := 0
			for _, p := range f.Profiles {
				depth := 0
				for _, e := range p.Events {
					if e.Type == "C" {
						depth--
						continue
					}
					depth++
					for at < len(calls) && calls[at].Kind != "call" {
						at++
					}
					if at == len(calls) {
						t.Fatalf("%s: too many calls", name)
					}
					c := &calls[at]
					at++
					if begin := float64(c.Event); !j.Timed && math.Abs(*e.At-begin) > 0 && name != "time" {
						t.Fatalf("%s: event %d opens at %v", name, c.Event, *e.At)
					}
				}
			}
			if at != len(calls) {
				t.Errorf("%s: %d calls, want %d", name, at, len(calls))
			}
		}
	})
}

// callsOf returns the calls of a scope, in order, from JSON lines.
func callsOf(t *testing.T, r *lazy.LazyTraceReader, scope query.Scope) (list []shownPoint) {
	t.Helper()
	for line := range strings.Lines(string(written(t, job(t, r, Options{Scope: scope}), "jsonl"))) {
		var p shownPoint
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatal(err)
		}
		if p.Kind == "call" {
			list = append(list, p)
		}
	}
	return list
}

// TestSpeedscopeSums: of the demo, how long methods were open in all profiles is the time that tracex top shows.
func TestSpeedscopeSums(t *testing.T) {
	r := opened(t, shop(t))
	f := readSpeedscope(t, written(t, job(t, r, Options{}), "speedscope"))
	got := make(map[string]topSums)
	for _, p := range f.Profiles {
		var stack []float64
		var inner []float64
		for _, e := range p.Events {
			if e.Type == "O" {
				stack, inner = append(stack, *e.At), append(inner, 0)
				continue
			}
			n := len(stack) - 1
			took := *e.At - stack[n]
			s := got[*f.Shared.Frames[*e.Frame].Name+"()"]
			s.calls, s.self = s.calls+1, s.self+int64(took-inner[n])
			got[*f.Shared.Frames[*e.Frame].Name+"()"] = s
			if stack, inner = stack[:n], inner[:n]; n > 0 {
				inner[n-1] += took
			}
		}
	}
	want, _ := topOf(t, r, query.Scope{})
	for name, s := range want {
		s.total, s.own = 0, 0
		if strings.ReplaceAll(name, "()", "") == "" || got[name] != s {
			t.Errorf("%s: %+v, want %+v", name, got[name], s)
		}
	}
}

// TestSpeedscopeClocks: events that would be before others, as clocks disagree or times are wrong, are not.
func TestSpeedscopeClocks(t *testing.T) {
	s := &speedscope{j: &Job{Timed: true}, now: 70}
	var events []byte
	for i, at := range []int64{5, 5, 60, 70, 90} {
		events = s.event(append(events, ','), "OC"[i%2], 3, at)
	}
	want := strings.NewReplacer(`"at":5}`, `"at":70}`, `"at":60}`, `"at":70}`).Replace(string(events))
	if got := string(s.raised(nil, events)); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	s = &speedscope{j: &Job{}, now: 70_500}
	events = s.event(s.event(nil, 'O', 1, 70_000), 'C', 1, 71_000)
	if got := string(s.raised(nil, events)); got != "\n{\"type\":\"O\",\"frame\":1,\"at\":70.5}\n{\"type\":\"C\",\"frame\":1,\"at\":71}" {
		t.Errorf("%s", got)
	}
}

// TestSpeedscopeLimit: what a browser cannot load is refused, and written if forced.
func TestSpeedscopeLimit(t *testing.T) {
	r := opened(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 800, Seed: 3, Timed: true}))
	small := speedscopeFormat
	small.Limit = 5000
	j := job(t, r, Options{})
	j.share = 3000
	_, err := j.Write(t.Context(), &small, new(bytes.Buffer), nil)
	if e, ok := err.(*TooLargeError); !ok || e.Target != "speedscope" || e.Size <= small.Limit {
		t.Errorf("%v", err)
	}
	if _, err := job(t, r, Options{Force: true}).Write(t.Context(), &small, new(bytes.Buffer), nil); err != nil {
		t.Error(err)
	}
}
