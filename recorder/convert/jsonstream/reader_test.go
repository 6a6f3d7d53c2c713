package jsonstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"tracex/format"
)

func reader(text string) *Reader { return New(context.Background(), strings.NewReader(text), nil) }

// value reads the value at hand as encoding/json does.
func value(r *Reader) any {
	switch r.Kind() {
	case Object:
		m := map[string]any{}
		for key := range r.Fields() {
			m[string(key)] = nil // the key before the value replaces it
			k := string(key)
			m[k] = value(r)
		}
		return m
	case Array:
		list := []any{}
		for range r.Items() {
			list = append(list, value(r))
		}
		return list
	case String:
		return string(r.Text())
	case Number:
		return json.Number(r.Text())
	case Bool:
		return r.Bool()
	}
	return nil
}

// plain reads documents with encoding/json.
func plain(text string) (all []any, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	for {
		var v any
		if err := d.Decode(&v); err != nil {
			if errors.Is(err, io.EOF) {
				return all, nil
			}
			return all, err
		}
		all = append(all, v)
	}
}

var documents = []string{
	`{}`, `[]`, `""`, `0`, ` true `, `null`, `{"a":1,"b":[1,2,{"c":null}],"d":{"e":"f"}}`, "{\"a\":1}\n{\"a\":2}\n",
	`["\u00e9\ud834\udd1e\\\"\/\b\f\n\r\t", "é𝄞", "\ud834", "\ud834\u0041", "\udd1e\ud834\udd1e"]`, "[\"\xff\xc3\"]",
	`[-1.5e-10, 123456789012345678901234567890, 0.1]`, `[[[[[[]]]],{}]]`, `{"":{"":{}}}`, `{"a":1,"a":{"b":2}}`,
	strings.Repeat(`{"key \" with quotes": ["`+strings.Repeat("long é text \\n ", 900)+`", 1]}`, 12),
}

// TestAsPlain: the same values as those of encoding/json, however the bytes arrive.
func TestAsPlain(t *testing.T) {
	for _, text := range documents {
		want, err := plain(text)
		if err != nil {
			t.Fatal(err)
		}
		for name, input := range map[string]io.Reader{
			"whole": strings.NewReader(text), "bytes": iotest.OneByteReader(strings.NewReader(text)), "halves": iotest.HalfReader(strings.NewReader(text)),
			"with its end": iotest.DataErrReader(strings.NewReader("\uFEFF" + text)),
		} {
			r := New(context.Background(), input, nil)
			var got []any
			for r.More() {
				got = append(got, value(r))
			}
			if r.Err() != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s of %.60q:\n%v\n%v, error %v", name, text, got, want, r.Err())
			}
		}
	}
}

// TestSkipped: what a caller does not read is passed over, and what is of another kind counted.
func TestSkipped(t *testing.T) {
	r := reader(`{"a":[{"b":"]}\""},[]],"n":-1.5,"c":"x","d":{"e":1},"f":[1],"z":true} [7]`)
	seen := ""
	for r.More() {
		for key := range r.Fields() {
			switch string(key) {
			case "c":
				seen += string(r.Text())
			case "d":
				seen += string(r.Text()) // an object is no text
			case "f":
				for range r.Fields() {
					t.Error("an array has no fields")
				}
			case "z":
				seen += fmt.Sprint(r.Bool())
			}
		}
		for i := range r.Items() {
			seen += fmt.Sprint(i, string(r.Text()))
			break
		}
	}
	// The third one: the document [7] has no fields.
	if n, first := r.Odd(); seen != "xtrue07" || n != 3 || first != 44 || r.Err() != nil {
		t.Errorf("seen %q, %d odd from %d, error %v", seen, n, first, r.Err())
	}
}

func TestFaults(t *testing.T) {
	deep := strings.Repeat("[", MaxDepth+1)
	for _, c := range []struct {
		text   string
		offset int64
		cause  error
	}{
		{`{"a":1`, 6, format.ErrTruncated}, {`{"a"`, 4, format.ErrTruncated}, {`{"a`, 3, format.ErrTruncated}, {`["\u12`, 6, format.ErrTruncated}, {`["\u12x4"]`, 4, format.ErrCorrupt},
		{`["\`, 3, format.ErrTruncated}, {`[1 2]`, 3, format.ErrCorrupt}, {`{"a" 1}`, 5, format.ErrCorrupt}, {`{1:2}`, 1, format.ErrCorrupt},
		{`[1,]`, 3, format.ErrCorrupt}, {`["\x"]`, 3, format.ErrCorrupt}, {`[trve]`, 1, format.ErrCorrupt}, {`[?]`, 1, format.ErrCorrupt},
		{deep, MaxDepth, format.ErrCorrupt}, {`{} x`, 3, format.ErrCorrupt}, {`[`, 1, format.ErrTruncated},
	} {
		for _, skipped := range []bool{false, true} {
			r := reader(c.text)
			for r.More() {
				if !skipped {
					value(r)
				}
			}
			var e *format.Error
			if !errors.As(r.Err(), &e) {
				// What is skipped is looked at less closely.
				if !skipped || c.cause == format.ErrTruncated {
					t.Errorf("%.20q: no error", c.text)
				}
				continue
			}
			if !errors.Is(e, c.cause) || !skipped && e.Offset != c.offset {
				t.Errorf("%.20q: %v, at %d instead of %d", c.text, e, e.Offset, c.offset)
			}
		}
	}
}

// TestLongTexts: a text of any length takes no more memory than the limit.
func TestLongTexts(t *testing.T) {
	long := strings.Repeat("é", MaxText)
	r := reader(`["` + long + `", "` + strings.Repeat("a", 2*MaxText) + `", "b", {"k":"` + long + `"}]`)
	var sizes []int
	for range r.Items() {
		t.Error("there is no item before More")
	}
	for r.More() {
		for i := range r.Items() {
			if i == 3 {
				sizes = append(sizes, len(r.AppendText(nil, 100)))
				continue
			}
			sizes = append(sizes, len(r.Text()))
		}
	}
	digits := reader(strings.Repeat("1", 2*maxNumber))
	if n, _ := digits.Cut(); !digits.More() || n != 0 || len(digits.Text()) != maxNumber+len("…") {
		t.Error("a long number is not cut")
	}
	if n, _ := r.Cut(); n != 3 || r.Err() != nil || !reflect.DeepEqual(sizes, []int{MaxText, MaxText, 1, 103}) {
		t.Errorf("%d cut, sizes %v, error %v", n, sizes, r.Err())
	}
}

func TestAppendText(t *testing.T) {
	r := reader(` { "a" : [ 1 , "x\n\"" , null , true ] , "b" : { } } `)
	if !r.More() {
		t.Fatal(r.Err())
	}
	if got, want := string(r.AppendText(nil, 1000)), `{"a":[1,"x\n\"",null,true],"b":{}}`; got != want {
		t.Errorf("%s\n%s", got, want)
	}
}

// TestInputError: an error of the input, or the end of a context, is returned as it is.
func TestInputError(t *testing.T) {
	broken := errors.New("broken")
	r := New(context.Background(), io.MultiReader(strings.NewReader(`{"a": "b`), iotest.ErrReader(broken)), nil)
	for r.More() {
		value(r)
	}
	if !errors.Is(r.Err(), broken) {
		t.Errorf("%v", r.Err())
	}
	ctx, cancel := context.WithCancel(context.Background())
	r = New(ctx, strings.NewReader(`[`+strings.Repeat("1,", bufferSize)+`1]`), func(n int64) { cancel() })
	for r.More() {
		value(r)
	}
	if !errors.Is(r.Err(), context.Canceled) {
		t.Errorf("%v", r.Err())
	}
	r = reader(`[1,2,3]`)
	for r.More() {
		for i := range r.Items() {
			if i == 1 {
				r.Stop(broken)
				r.Stop(io.EOF)
			}
			if i > 1 || i == 0 && string(r.Text()) != "1" {
				t.Error("it goes on")
			}
		}
	}
	if !errors.Is(r.Err(), broken) {
		t.Errorf("%v", r.Err())
	}
	r = New(context.Background(), empty{}, nil)
	if r.More() || !errors.Is(r.Err(), io.ErrNoProgress) {
		t.Errorf("%v", r.Err())
	}
}

// empty is an input that never has anything.
type empty struct{}

func (empty) Read([]byte) (int, error) { return 0, nil }

func TestDecimal(t *testing.T) {
	for _, c := range []struct {
		text  string
		shift int
		want  int64
		ok    bool
	}{
		{"7.2e-05", 9, 72000, true}, {"1700000000.123456789", 9, 1700000000123456789, true}, {"0.0000000005", 9, 1, true},
		{"0.00000000049", 9, 0, true}, {"-1.5", 0, -2, true}, {"12", 3, 12000, true}, {"1e3", 0, 1000, true}, {"15e-1", 0, 2, true},
		{"9223372036854775807", 0, 0, false}, {"1e30", 0, 0, false}, {"1e99999", 0, 0, false}, {"0e300", 9, 0, true}, {"", 0, 0, false},
		{".", 0, 0, false}, {"1x", 0, 0, false}, {"NaN", 0, 0, false}, {"5e-400", 9, 0, true}, {"0.5", 0, 1, true}, {"00012.50", 1, 125, true},
		{"99", -1, 10, true}, {"99", -3, 0, true}, {"+3", 0, 3, true},
	} {
		if n, ok := Decimal([]byte(c.text), c.shift); n != c.want || ok != c.ok {
			t.Errorf("%s with %d: %d %v, want %d %v", c.text, c.shift, n, ok, c.want, c.ok)
		}
	}
}

func TestNumberValue(t *testing.T) {
	for text, want := range map[string]any{"12": int64(12), "-9223372036854775808": int64(math.MinInt64), "1.5": 1.5, "1e3": 1000.0,
		"9223372036854775808": nil, "1e999": nil, "x": nil, "": nil, "Infinity": math.Inf(1), "-0": math.Copysign(0, -1)} {
		v, ok := NumberValue([]byte(text))
		var got any
		switch {
		case ok && v.Kind == format.ValueLong:
			got = v.Bits
		case ok:
			got = v.Float()
		}
		if fmt.Sprint(got) != fmt.Sprint(want) { // 0 equals -0
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// FuzzReader: whatever the bytes are, the reader ends, in texts of limited size; and where
// encoding/json reads them, it reads the same.
func FuzzReader(f *testing.F) {
	for _, text := range documents[:len(documents)-1] {
		f.Add([]byte(text))
	}
	f.Add([]byte(`{"a":[NaN,-Infinity],"b":"\ud800\u`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := New(context.Background(), bytes.NewReader(data), nil)
		var got []any
		for r.More() {
			got = append(got, value(r))
		}
		cut, _ := r.Cut()
		valid := json.Valid(data) && cut == 0 // as one document
		if want, err := plain(string(data)); valid && (r.Err() != nil || err == nil && !reflect.DeepEqual(got, want)) {
			t.Errorf("%v %v\n%v", got, r.Err(), want)
		}
		r = New(context.Background(), bytes.NewReader(data), nil)
		for r.More() { // all is skipped
			if r.Offset() > int64(len(data)) {
				t.Fatalf("offset %d of %d", r.Offset(), len(data))
			}
		}
		if valid && r.Err() != nil {
			t.Error(r.Err())
		}
	})
}

func BenchmarkReader(b *testing.B) {
	one := `{"id":12,"event":"call","defined_class":"shop.Store","parameters":[{"name":"n","value":"\"quoted\" text","class":"builtins.str"}],"elapsed":7.2e-05},`
	text := []byte("[" + strings.Repeat(one, 10_000) + "0]")
	for _, name := range []string{"read", "skipped"} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for range b.N {
				r := New(context.Background(), bytes.NewReader(text), nil)
				for r.More() {
					if name == "skipped" {
						continue
					}
					for range r.Items() {
						for range r.Fields() {
							if r.Text() == nil {
								continue
							}
						}
					}
				}
				if r.Err() != nil {
					b.Fatal(r.Err())
				}
			}
		})
	}
}
