package chrome

import (
	"io"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/recorder/convert/sources"
)

// repeated is a text, then another one again and again up to a size, then a last one.
type repeated struct {
	rest, again, last string
	size              int
}

func (e *repeated) Read(b []byte) (int, error) {
	for e.rest == "" {
		switch {
		case e.size > 0:
			e.size -= len(e.again)
			e.rest = e.again
		case e.last == "":
			return 0, io.EOF
		default:
			e.rest, e.last = e.last, ""
		}
	}
	n := copy(b, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// TestLarge has things that are larger than what is kept in memory: they are skipped, and what follows is
// read.
func TestLarge(t *testing.T) {
	window := 1 << 10
	if formattest.Exhaustive() {
		window = windowSize
	}
	const after = `{"ph":"X","name":"after"}`
	for name, c := range map[string]struct {
		repeated
		large, strange int
	}{
		"text of an event":       {repeated{`[{"ph":"X","name":"`, strings.Repeat(`x\"{[`, 100), `"},` + after + "]", 0}, 1, 0},
		"members of an event":    {repeated{`[{"ph":"X","args":{`, strings.Repeat(`"k":[1,{}],`, 100), `"k":1}},` + after + "]", 0}, 1, 0},
		"event on a line":        {repeated{after + `{"ph":"X","args":{`, strings.Repeat(`"k":[1,{}],`, 100), `"k":1}}` + "\n" + after, 0}, 1, 0},
		"value that is no event": {repeated{"[", strings.Repeat("1", 500), "," + after + "]", 0}, 0, 1},
		"text that is no event":  {repeated{"[\"", strings.Repeat(`]\\\"`, 100), "\"," + after + "]", 0}, 0, 1},
		"other key":              {repeated{`{"x":{`, strings.Repeat(`"k":["}"],`, 100), `"k":1},"traceEvents":[` + after + "]}", 0}, 0, 0},
		"other text":             {repeated{`{"x":"`, strings.Repeat(`}\"`, 100), `","traceEvents":[` + after + "]}", 0}, 0, 0},
		"other number":           {repeated{`{"x":1`, strings.Repeat(`1`, 100), `,"traceEvents":[` + after + "]}", 0}, 0, 0},
		"known key":              {repeated{`{"otherData":{`, strings.Repeat(`"k":["}"],`, 100), `"k":1},"traceEvents":[` + after + "]}", 0}, 0, 0},
		"white space":            {repeated{"[", strings.Repeat(" \n,", 100), after + "]", 0}, 0, 0},
	} {
		large, strange, names := 0, 0, ""
		c.size = (largestEvent + largestEvent/2) * window
		d := newDocument(t.Context(), sources.Input{Reader: &c.repeated, Path: "in"}, window, func(b batch) {
			large, strange = large+len(b.large), strange+len(b.strange)
			for _, e := range b.events {
				names += textOf(b.text, e.name)
			}
		}, nil)
		err := d.read()
		if err != nil || large != c.large || strange != c.strange || strings.ReplaceAll(names, "after", "") != "" || !strings.HasSuffix(names, "after") {
			t.Errorf("%s: %v, %d large, %d strange, events %q", name, err, large, strange, names)
		}
		if len(d.buf) > largestEvent*window {
			t.Errorf("%s: a buffer of %d bytes", name, len(d.buf))
		}
	}
}

// TestLargeKey: a key of any size is a fault, not a matter of memory.
func TestLargeKey(t *testing.T) {
	r := &repeated{`{"`, strings.Repeat("k", 1000), `":1}`, 1 << 20}
	if err := newDocument(t.Context(), sources.Input{Reader: r, Path: "in"}, 1<<10, func(batch) {}, nil).read(); err == nil {
		t.Error("there is no fault")
	}
}
