package chrome

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"math/big"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/sources"
)

// plainEvent is what an event says, for comparisons.
type plainEvent struct {
	Phase, Name, Category, PID, TID, ID string
	TS, Duration                        string // ns; "" if unknown
	Args                                any
	Others                              map[string]any
}

// read reads a text with the scanner, in windows of a size.
func read(t testing.TB, r io.Reader, size int) (events []plainEvent, err error) {
	t.Helper()
	to := calltrace.New(tracefile.Files{Data: io.Discard, Index: io.Discard, Times: io.Discard}, calltrace.Options{})
	defer to.Discard()
	err = newDocument(t.Context(), sources.Input{Reader: r, Path: "in.json"}, size, func(b batch) {
		v := values{to: to, text: b.text}
		of := func(x span) any {
			if x.kind == nothing {
				return nil
			}
			v.reset(b.text)
			value := v.of(x, 0)
			return plainValue(&value)
		}
		for i := range b.events {
			e := &b.events[i]
			p := plainEvent{Name: textOf(b.text, e.name), Category: textOf(b.text, e.category), PID: textOf(b.text, e.pid),
				TID: textOf(b.text, e.tid), ID: textOf(b.text, e.id), Args: of(e.args)}
			if e.phase != 0 {
				p.Phase = string(rune(e.phase))
			}
			if e.timed {
				p.TS = fmt.Sprint(e.ts)
			}
			if e.lasting {
				p.Duration = fmt.Sprint(e.duration)
			}
			for _, m := range b.others[e.others.from:e.others.to] {
				if p.Others == nil {
					p.Others = map[string]any{}
				}
				p.Others[textOf(b.text, m.key)] = of(m.value)
			}
			events = append(events, p)
		}
	}, nil).read()
	return events, err
}

// plainValue turns a value into what encoding/json would have made of its text.
func plainValue(v *format.Value) any {
	switch {
	case v.Kind == format.ValueArray && v.Captured != nil:
		list := []any{}
		for i := range v.Captured.Elements {
			list = append(list, plainValue(&v.Captured.Elements[i]))
		}
		return list
	case v.Kind == format.ValueObject && v.Captured != nil:
		fields := map[string]any{}
		for i := range v.Captured.Fields {
			fields[v.Captured.Fields[i].Name] = plainValue(&v.Captured.Fields[i].Value)
		}
		return fields
	case v.Kind == format.ValueString:
		return "s" + v.Text
	case v.Kind == format.ValueLong:
		return fmt.Sprint(v.Bits)
	case v.Kind == format.ValueDouble:
		return fmt.Sprint(v.Float())
	case v.Kind == format.ValueBoolean:
		return v.Bits != 0
	case v.Kind == format.ValueNull:
		return nil
	case v.Text == "{}":
		return map[string]any{}
	case v.Text == "[]":
		return []any{}
	}
	return v.Text
}

// model reads the events of a text with encoding/json.
func model(t testing.TB, list []any) (events []plainEvent) {
	t.Helper()
	for _, x := range list {
		m, ok := x.(map[string]any)
		if !ok {
			continue
		}
		p := plainEvent{Phase: modelText(m["ph"]), Name: modelText(m["name"]), Category: modelText(m["cat"]),
			PID: modelText(m["pid"]), TID: modelText(m["tid"]), ID: modelText(m["id"]), TS: modelTime(m["ts"]), Duration: modelDuration(m["dur"])}
		if m["args"] != nil {
			p.Args = modelValue(m["args"])
		}
		for key, value := range m {
			if !slices.Contains([]string{"ph", "name", "cat", "pid", "tid", "id", "ts", "dur", "args"}, key) {
				if p.Others == nil {
					p.Others = map[string]any{}
				}
				p.Others[key] = modelValue(value)
			}
		}
		events = append(events, p)
	}
	return events
}

func modelText(x any) string {
	if x == nil {
		return ""
	}
	return fmt.Sprint(x)
}

// modelTime is the number in ns, computed exactly.
func modelTime(x any) string {
	r, ok := new(big.Rat).SetString(modelText(x))
	if !ok {
		return ""
	}
	r.Mul(r, big.NewRat(1000, 1))
	if ns := new(big.Int).Quo(r.Num(), r.Denom()); ns.IsInt64() {
		return ns.String()
	}
	return "" // it is too large
}

// modelDuration is modelTime, but one that is too large is the largest.
func modelDuration(x any) string {
	r, ok := new(big.Rat).SetString(modelText(x))
	switch ns := modelTime(x); {
	case ns != "" || !ok:
		return ns
	case r.Sign() < 0:
		return fmt.Sprint(math.MinInt64)
	}
	return fmt.Sprint(math.MaxInt64)
}

func modelValue(x any) any {
	switch x := x.(type) {
	case string:
		return "s" + x
	case json.Number:
		v := calltrace.Number(string(x))
		return plainValue(&v)
	case []any:
		list := []any{}
		for _, e := range x {
			list = append(list, modelValue(e))
		}
		return list
	case map[string]any:
		fields := map[string]any{}
		for k, e := range x {
			fields[k] = modelValue(e)
		}
		return fields
	}
	return x
}

// TestModel compares random texts, in all forms and windows, with what encoding/json reads.
func TestModel(t *testing.T) {
	for seed := range int64(150) {
		g := &generator{r: rand.New(rand.NewSource(seed))}
		form, text := g.trace()
		var list []any
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		for {
			var x any
			if err := d.Decode(&x); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("seed %d: %v in %s", seed, err, text)
			}
			switch {
			case form == "object":
				list = append(list, x.(map[string]any)["traceEvents"].([]any)...)
			case form == "array":
				list = append(list, x.([]any)...)
			default:
				list = append(list, x)
			}
		}
		want := model(t, list)
		for _, size := range []int{1 << 10, 300, 1 << 20} {
			got, err := read(t, &chopped{text, rand.New(rand.NewSource(seed))}, size)
			if err != nil {
				t.Fatalf("seed %d: %v in\n%s", seed, err, text)
			}
			for i := range max(len(got), len(want)) {
				if i >= len(got) || i >= len(want) || !reflect.DeepEqual(got[i], want[i]) {
					t.Fatalf("seed %d, window %d, event %d of %d, %d: got\n%+v\nwant\n%+v\nin\n%s", seed, size, i, len(got), len(want),
						got[min(i, len(got)):min(i+1, len(got))], want[min(i, len(want)):min(i+1, len(want))], text)
				}
			}
		}
	}
}

// chopped reads a text in pieces of random sizes.
type chopped struct {
	rest string
	r    *rand.Rand
}

func (c *chopped) Read(b []byte) (int, error) {
	if len(c.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), 1+c.r.Intn(400))], c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// generator writes random traces as JSON.
type generator struct {
	r *rand.Rand
	b strings.Builder
}

func (g *generator) pick(list ...string) string { return list[g.r.Intn(len(list))] }

func (g *generator) space() {
	if g.r.Intn(3) == 0 {
		g.b.WriteString(g.pick(" ", "\n", "\t", "\r\n", "   "))
	}
}

// trace writes a trace in one of the forms.
func (g *generator) trace() (form, text string) {
	form = g.pick("array", "object", "lines")
	n := g.r.Intn(30)
	switch form {
	case "array":
		g.list(n, g.event)
	case "object":
		keys := []string{"displayTimeUnit", "otherData", "traceEvents", "stackFrames", "zzz"}
		g.r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		g.object(keys, func(key string) {
			if key == "traceEvents" {
				g.list(n, g.event)
				return
			}
			g.value(3)
		})
	default:
		for range n {
			g.event()
			g.b.WriteString("\n")
		}
	}
	return form, g.b.String()
}

func (g *generator) list(n int, element func()) {
	g.b.WriteByte('[')
	for i := range n {
		if i > 0 {
			g.b.WriteByte(',')
		}
		g.space()
		element()
		g.space()
	}
	g.b.WriteByte(']')
}

func (g *generator) object(keys []string, value func(key string)) {
	g.b.WriteByte('{')
	for i, key := range keys {
		if i > 0 {
			g.b.WriteByte(',')
		}
		g.space()
		text, _ := json.Marshal(key)
		g.b.Write(text)
		g.space()
		g.b.WriteByte(':')
		g.space()
		value(key)
		g.space()
	}
	g.b.WriteByte('}')
}

func (g *generator) event() {
	keys := []string{"ph"}
	for _, key := range []string{"name", "cat", "pid", "tid", "ts", "dur", "id", "args", "out", "stack", "ä\"", "x"} {
		if g.r.Intn(4) > 0 {
			keys = append(keys, key)
		}
	}
	g.r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	g.object(keys, func(key string) {
		switch key {
		case "ph":
			g.b.WriteString(`"` + g.pick("X", "B", "E", "i", "M") + `"`)
		case "name", "cat":
			g.text()
		case "pid", "tid", "id":
			if g.r.Intn(2) == 0 {
				g.text()
			} else {
				g.number()
			}
		case "ts", "dur":
			quote := g.pick("", `"`)
			g.b.WriteString(quote + g.pick("", "-") + fmt.Sprint(g.r.Int63n(2e15)) + g.pick("", ".5", ".125", ".0009999", "e1", "E-2", ".25e+1") + quote)
		case "args":
			g.object([]string{"a", "b\n", "c"}[:g.r.Intn(4)], func(string) { g.value(4) })
		default:
			g.value(3)
		}
	})
}

func (g *generator) value(depth int) {
	switch k := g.r.Intn(8); {
	case k < 2:
		g.text()
	case k < 4:
		g.number()
	case k == 4:
		g.b.WriteString(g.pick("true", "false", "null"))
	case depth > 0 && k == 5:
		g.list(g.r.Intn(4), func() { g.value(depth - 1) })
	case depth > 0:
		keys := map[string]bool{}
		for range g.r.Intn(4) {
			keys[g.pick("k", "kk", "", `q"q`, "€", "\\")] = true
		}
		g.object(slices.Sorted(maps.Keys(keys)), func(string) { g.value(depth - 1) })
	default:
		g.number()
	}
}

func (g *generator) number() {
	g.b.WriteString(g.pick("0", "-0", "7", "-12", "1.5", "1e3", "123456789012345678901234567890", "2.5E-3", "9223372036854775807", "-9223372036854775808"))
}

// text writes a string with all kinds of escapes.
func (g *generator) text() {
	g.b.WriteByte('"')
	for range g.r.Intn(12) {
		switch g.r.Intn(8) {
		case 0:
			g.b.WriteString(g.pick(`\"`, `\\`, `\/`, `\b`, `\f`, `\n`, `\r`, `\t`))
		case 1:
			fmt.Fprintf(&g.b, `\u%04x`, g.r.Intn(0x10000)) // half of a pair, too
		case 2:
			high, low := utf16.EncodeRune(rune(0x10000 + g.r.Intn(0x10000)))
			fmt.Fprintf(&g.b, `\u%04X\u%04x`, high, low)
		case 3:
			g.b.WriteString(g.pick("ä", "€", "😀", "{", "}", "[", ",", ":"))
		default:
			g.b.WriteString("some text and more "[:1+g.r.Intn(18)])
		}
	}
	g.b.WriteByte('"')
}
