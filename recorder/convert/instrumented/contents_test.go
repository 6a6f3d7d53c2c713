package instrumented_test

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/instrument/raw/rawtest"
)

// mapOf returns the type of a map whose entries are recorded.
func mapOf(key, value *raw.Type) *raw.Type {
	t := unnamed(reflect.Map, "map["+key.Name+"]"+value.Name)
	t.Element, t.Fields = value.ID, []raw.Field{field(key, "")}
	return t
}

// recordedMap converts a call with a map, and returns how rows show it, and how the panic with it that ends the call is shown.
func recordedMap(t *testing.T, version format.Version, typ *raw.Type, v rawtest.Value) (s *instrumented.Summary, arg *format.Value, thrown string) {
	t.Helper()
	f := rawtest.New(rawtest.Options{Clock: raw.ClockCounter})
	for _, one := range []*raw.Type{intType, stringType, durationType, bytesType, typ} {
		f.Type(one)
	}
	call := &raw.Function{ID: 1, Arguments: []uint32{typ.ID}, Package: "p", Name: "f"}
	g := f.Goroutine(1 << 10)
	g.Begin(1, 0, 0, 0)
	g.Enter(call, 0, v)
	g.Panic(call, rawtest.Typed(typ, v))
	s, forest, text := convert(t, instrumented.Options{Version: version}, f)
	_, thrown, _ = strings.Cut(text, "threw panic: ")
	for _, thread := range forest.Threads {
		for n := range thread.Roots() {
			var point format.Point
			if err := n.Point(&point); err != nil {
				t.Fatal(err)
			}
			return s, &point.Args[0], strings.TrimSpace(thrown)
		}
	}
	return s, nil, thrown
}

var (
	durationType = named(reflect.Int64, "time", "Duration")
	bytesType    = unnamed(reflect.Slice, "[]uint8")
)

// TestEntries: a map has its length and its entries as fields, named by the keys, and a []byte its length and its first bytes.
func TestEntries(t *testing.T) {
	const address = 0xc000123450
	pair := func(key, value rawtest.Value) [2]rawtest.Value { return [2]rawtest.Value{key, value} }
	str, num := rawtest.String, rawtest.Int
	for name, c := range map[string]struct {
		typ          *raw.Type
		v            rawtest.Value
		want, within string
	}{
		"length":  {mapOf(stringType, intType), rawtest.Map(address, 3), "len=3", "map[string]int len 3"},
		"all":     {mapOf(stringType, intType), rawtest.Entries(address, 2, pair(str("a"), num(1)), pair(str("b"), num(2))), "len=2 a=1 b=2", `map[string]int{"a":1, "b":2}`},
		"some":    {mapOf(stringType, intType), rawtest.Entries(address, 9, pair(str("a"), num(1))), "len=9 a=1 …=…", `map[string]int{"a":1, …+8}`},
		"none":    {mapOf(stringType, intType), rawtest.Entries(address, 2), "len=2 …=…", `map[string]int{…+2}`},
		"numbers": {mapOf(intType, stringType), rawtest.Entries(address, 1, pair(num(-7), str("x"))), "len=1 -7=x", `map[int]string{-7:"x"}`},
		"special": {mapOf(durationType, intType), rawtest.Entries(address, 1, pair(num(1_500_000_000), num(1))), "len=1 1.5s=1", `map[Duration]int{1.5s:1}`},
		"NaN": {mapOf(named(reflect.Float64, "", "float64"), intType), rawtest.Entries(address, 2, pair(rawtest.Float(math.NaN()), num(1)), pair(rawtest.Float(math.NaN()), num(2))),
			"len=2 NaN=1 NaN=2", `map[float64]int{NaN:1, NaN:2}`},
		"quoted": {mapOf(stringType, intType), rawtest.Entries(address, 5, pair(str("len"), num(1)), pair(str(""), num(2)), pair(str("…"), num(3)), pair(str("a b\n"), num(4)), pair(rawtest.Cut("abc", 9), num(5))),
			`len=5 "len"=1 ""=2 "…"=3 "a b\n"=4 "abc…+6"=5`, `map[string]int{"len":1, "":2, "…":3, "a b\n":4, "abc…+6":5}`},
		"bytes":      {bytesType, rawtest.Contents(address, 5, "GET /"), `len=5 bytes=[]byte("GET /")`, `[]byte("GET /")`},
		"more bytes": {bytesType, rawtest.Contents(address, 50, "\x89PNG"), "len=50 bytes=[]byte(0x89504e47..., 50 bytes)", "[]byte(0x89504e47..., 50 bytes)"},
		"no bytes":   {bytesType, rawtest.Contents(address, 9, ""), "len=9", `[]byte(""..., 9 bytes)`},
		"byte lists": {mapOf(stringType, bytesType), rawtest.Entries(address, 1, pair(str("a"), rawtest.Contents(address, 4, "a\nb\t"))), "len=1 a=", `map[string][]uint8{"a":[]byte("a\nb\t")}`},
		"interfaces": {mapOf(stringType, unnamed(reflect.Interface, "interface {}")), rawtest.Entries(address, 2, pair(str("a"), rawtest.Typed(intType, num(1))), pair(str("b"), rawtest.Nil())),
			"len=2 a=1 b=null", `map[string]interface {}{"a":1, "b":nil}`},
	} {
		for _, version := range []format.Version{format.V22, format.V27} {
			s, arg, thrown := recordedMap(t, version, c.typ, c.v)
			if arg == nil || arg.Captured == nil || s.Processes[0].Damaged > 0 {
				t.Errorf("%s: %v, %v", name, arg, s.Processes[0].Problems)
				continue
			}
			var got []string
			for _, f := range arg.Captured.Fields {
				text := f.Value.Text
				switch f.Value.Kind {
				case format.ValueInt:
					text = fmt.Sprint(f.Value.Bits)
				case format.ValueNull:
					text = "null"
				}
				got = append(got, f.Name+"="+text)
			}
			if list := strings.Join(got, " "); list != c.want || thrown != c.within {
				t.Errorf("%s, version %v: fields %s, want %s; thrown as %s, want %s", name, version, list, c.want, thrown, c.within)
			}
		}
	}
}

// TestEntriesDamaged: whatever count a map has, and wherever its entries are cut off, the trace is sound, and damage is told.
func TestEntriesDamaged(t *testing.T) {
	const address = 0xc000123450
	typ := mapOf(stringType, intType)
	path := filepath.Join(t.TempDir(), "a"+raw.Suffix)
	recorded := func(values ...rawtest.Value) *instrumented.Summary {
		f := rawtest.New(rawtest.Options{Clock: raw.ClockCounter})
		for _, one := range []*raw.Type{intType, stringType, typ} {
			f.Type(one)
		}
		call := &raw.Function{ID: 1, Arguments: []uint32{typ.ID}, Package: "p", Name: "f"}
		g := f.Goroutine(1 << 10)
		g.Begin(1, 0, 0, 0)
		for _, v := range values {
			g.Enter(call, 0, v)
		}
		s, _ := convertImage(t, path, f.Image)
		return s
	}
	whole := rawtest.Entries(address, 3, [2]rawtest.Value{rawtest.String("a"), rawtest.Int(1)}, [2]rawtest.Value{rawtest.String("b"), rawtest.Int(1 << 40)})
	if s := recorded(whole); s.Calls != 1 || s.Processes[0].Damaged > 0 {
		t.Errorf("%+v", s)
	}
	const count = 1 + raw.AddressSize + 4 // its offset
	for n := 1; n <= len(whole); n++ {
		recorded(whole[:n])
		if n > count {
			for _, entries := range []byte{0, 1, 3, 255} {
				v := slices.Clone(whole[:n])
				v[count] = entries
				recorded(v)
			}
		}
	}
	for n := 1; n <= count+1; n++ {
		recorded(rawtest.Contents(address, 255, strings.Repeat("\xee", 255))[:n])
	}
	many := rawtest.Entries(address, 300)
	many[count] = 255
	for _, rest := range [][]byte{{0xee}, make([]byte, 100), bytes.Repeat([]byte{raw.ValueEntries}, 5000)} {
		if s := recorded(append(slices.Clone(many), rest...), rawtest.Value{0xee}); s.Processes[0].Damaged == 0 {
			t.Errorf("no damage is told for % x", rest[:1])
		}
	}
}
