package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query"
)

// otlpLine is a line of OTLP, with the names of its specification's JSON encoding.
type otlpLine struct {
	ResourceSpans []struct {
		Resource   struct{ Attributes []otlpAttribute }
		ScopeSpans []struct {
			Scope struct{ Name string }
			Spans []otlpJSON
		}
	}
}

type otlpAttribute struct {
	Key   string
	Value struct {
		StringValue *string
		IntValue    *string // a string, as it has 64 bits
		DoubleValue *float64
		BoolValue   *bool
	}
}

type otlpJSON struct {
	TraceID           string `json:"traceId"`
	SpanID            string `json:"spanId"`
	ParentSpanID      string `json:"parentSpanId"`
	Name              string
	Kind              int
	StartTimeUnixNano string
	EndTimeUnixNano   string
	Attributes        []otlpAttribute
	Status            *struct {
		Code    int
		Message string
	}
	Events []struct {
		TimeUnixNano, Name string
		Attributes         []otlpAttribute
	}
	Links []struct {
		TraceID    string `json:"traceId"`
		SpanID     string `json:"spanId"`
		Attributes []otlpAttribute
	}
	DroppedEventsCount, DroppedLinksCount int
}

func attribute(list []otlpAttribute, key string) string {
	for _, a := range list {
		switch {
		case a.Key != key:
		case a.Value.StringValue != nil:
			return *a.Value.StringValue
		case a.Value.IntValue != nil:
			return *a.Value.IntValue
		case a.Value.BoolValue != nil:
			return strconv.FormatBool(*a.Value.BoolValue)
		}
	}
	return ""
}

// readOTLP reads spans, which must have the form of the specification, and whose parents must be there.
func readOTLP(t *testing.T, j *Job, b []byte) map[string]*otlpJSON {
	t.Helper()
	spans := make(map[string]*otlpJSON)
	for line := range strings.Lines(string(b)) {
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		var l otlpLine
		if err := d.Decode(&l); err != nil {
			t.Fatal(err)
		}
		r := l.ResourceSpans[0]
		if attribute(r.Resource.Attributes, "service.name") != j.Title || len(r.ScopeSpans[0].Spans) > lineSpans {
			t.Fatalf("%v, %d spans", r.Resource, len(r.ScopeSpans[0].Spans))
		}
		for i := range r.ScopeSpans[0].Spans {
			s := &r.ScopeSpans[0].Spans[i]
			begin, err := strconv.ParseInt(s.StartTimeUnixNano, 10, 64)
			end, err2 := strconv.ParseInt(s.EndTimeUnixNano, 10, 64)
			if !isTraceID(s.TraceID) || len(s.SpanID) != 16 || strings.Trim(s.SpanID, "0123456789abcdef") != "" || err != nil || err2 != nil || begin > end ||
				spans[s.SpanID] != nil || s.Name == "" || s.Kind != 1 {
				t.Fatalf("%+v", s)
			}
			spans[s.SpanID] = s
		}
	}
	for _, s := range spans {
		if s.ParentSpanID != "" && spans[s.ParentSpanID] == nil {
			t.Fatalf("%s has no parent: %s", s.Name, s.ParentSpanID)
		}
	}
	return spans
}

// TestOTLP: each call is a span, of which the calls in it are children; its times, what it threw and what was thrown
// in it are those of JSON lines. However the pass is cut, the file is the same.
func TestOTLP(t *testing.T) {
	traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		if _, timed := r.Times(); !timed {
			_, err := job(t, r, Options{}).Write(t.Context(), ByName("otlp"), new(bytes.Buffer), nil)
			if !errors.Is(err, errUndated) {
				t.Errorf("%v", err)
			}
			return
		}
		for name, scope := range scopes(t, r) {
			j := job(t, r, Options{Scope: scope, Title: "shop"})
			b := written(t, j, "otlp")
			spans := readOTLP(t, j, b)
			if name == "all" || name == "part" || name == "merge" {
				j.share = shareOf(r, shares[1])
				same(t, name+" in parts", written(t, j, "otlp"), b)
			}
			o := newOTLP(j, nil)
			idOf := func(thread, event int) string {
				return string(bytes.Trim(o.spanID(nil, int32(thread-1), int32(event)), `"`))
			}
			var open []shownPoint
			count := 0
			thrown := make(map[string]int)
			for _, p := range points(t, r, scope) {
				for len(open) > 0 && (open[len(open)-1].Depth >= p.Depth || open[len(open)-1].Thread != p.Thread) {
					open = open[:len(open)-1]
				}
				parent := ""
				for _, up := range slices.Backward(open) {
					if up.Kind == "call" {
						parent = idOf(up.Thread, up.Event)
						break
					}
				}
				switch {
				case p.Kind == "throw" && parent != "":
					thrown[parent]++
				case p.Kind == "call":
					count++
					s := spans[idOf(p.Thread, p.Event)]
					if s == nil || s.ParentSpanID != parent {
						t.Fatalf("%s: event %d has span %+v, want one in %q", name, p.Event, s, parent)
					}
					if start, _ := strconv.ParseInt(s.StartTimeUnixNano, 10, 64); p.Start != nil && !scope.Timed && start != o.first+*p.Start && attribute(s.Attributes, "tracex.estimated") == "" {
						t.Errorf("%s: event %d begins at %d, not %d", name, p.Event, start, o.first+*p.Start)
					}
				}
				open = append(open, p)
			}
			if count != len(spans) {
				t.Errorf("%s: %d spans, want %d", name, len(spans), count)
			}
			for id, s := range spans {
				if n := len(s.Events) + s.DroppedEventsCount; n != thrown[id] {
					t.Errorf("%s: span %s has %d events, want %d", name, s.Name, n, thrown[id])
				}
			}
		}
	})
}

// points returns all points of a scope, in order, from JSON lines.
func points(t *testing.T, r *lazy.LazyTraceReader, scope query.Scope) (list []shownPoint) {
	t.Helper()
	for line := range strings.Lines(string(written(t, job(t, r, Options{Scope: scope}), "jsonl"))) {
		var p shownPoint
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatal(err)
		}
		if p.Kind != "trace" && p.Kind != "thread" {
			list = append(list, p)
		}
	}
	return list
}

// TestOTLPValues: a call has its arguments, its result or what it threw, and the place of its method; without values only
// what is no value.
func TestOTLPValues(t *testing.T) {
	r := opened(t, shop(t))
	for _, hide := range []bool{false, true} {
		j := job(t, r, Options{Title: "shop", NoValues: hide})
		found := false
		for _, s := range readOTLP(t, j, written(t, j, "otlp")) {
			has := slices.ContainsFunc(s.Attributes, func(a otlpAttribute) bool {
				return strings.HasPrefix(a.Key, "tracex.arg.") || a.Key == "tracex.result" || a.Key == "tracex.receiver"
			})
			found = found || has
			if s.Name == "Shop.open" {
				for key, want := range map[string]string{"code.function.name": "shop.Shop.open", "tracex.called.from": "main.go:56", "thread.name": "counter", "thread.id": "1"} {
					if got := attribute(s.Attributes, key); got != want {
						t.Errorf("%s is %q, want %q", key, got, want)
					}
				}
			}
			if class := attribute(s.Attributes, "exception.type"); (class != "") != (s.Status != nil) || s.Status != nil && (s.Status.Code != 2 || s.Status.Message != class) {
				t.Errorf("%s: exception %q, status %+v", s.Name, class, s.Status)
			}
		}
		if found == hide {
			t.Errorf("values are there: %v", found)
		}
	}
}

// TestOTLPLists: a span has at most so many events; of the others their number, over several parts too.
func TestOTLPLists(t *testing.T) {
	var l otlpLists
	for range 3 {
		more := otlpLists{events: []byte(`{"name":"exception"}`), nEvents: 1, events0: 2}
		l.add(&more)
	}
	want := `{"events":[{"name":"exception"},{"name":"exception"},{"name":"exception"}],"droppedEventsCount":6}`
	if got := strings.Replace(string(l.close([]byte("{"), nil)), `{,`, `{`, 1); got != want {
		t.Errorf("%s", got)
	}
	for id, want := range map[string]bool{"0af7651916cd43dd8448eb211c80319c": true, "0AF7651916CD43DD8448EB211C80319C": false, strings.Repeat("0", 32): false, "12": false} {
		if isTraceID(id) != want {
			t.Errorf("%s", id)
		}
	}
}

// TestOTLPMany: more spans than services take are refused with their number, and written if forced.
func TestOTLPMany(t *testing.T) {
	r := opened(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 800, Seed: 3, Timed: true}))
	few := otlpFormat
	few.make = func(j *Job, out *output) target {
		o := newOTLP(j, out)
		o.most = 20
		return o
	}
	for _, force := range []bool{false, true} {
		j := job(t, r, Options{Force: force})
		j.share = 3000
		_, err := j.Write(t.Context(), &few, new(bytes.Buffer), nil)
		var many *TooManyError
		if errors.As(err, &many) == force || many != nil && (many.Count < 200 || many.Limit != 20 || !strings.Contains(err.Error(), "about")) {
			t.Errorf("force %v: %v", force, err)
		}
	}
}
