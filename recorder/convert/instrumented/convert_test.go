package instrumented_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/lazy/eager"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/instrument/raw/rawtest"
	"tracex/recorder/internal/tracetest"
)

// output is a trace that is being written.
type output struct {
	path  string
	files [3]*os.File
}

func newOutput(tb testing.TB) *output {
	o := &output{path: filepath.Join(tb.TempDir(), "trace.bin")}
	for i, suffix := range []string{"", format.IndexSuffix, format.TimesSuffix} {
		f, err := os.Create(o.path + suffix)
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { f.Close() })
		o.files[i] = f
	}
	return o
}

func (o *output) to() tracefile.Files {
	return tracefile.Files{Data: o.files[0], Index: o.files[1], Times: o.files[2]}
}

// convert converts files in one step, and checks the trace.
func convert(tb testing.TB, o instrumented.Options, files ...*rawtest.File) (*instrumented.Summary, *eager.Forest, string) {
	tb.Helper()
	out := newOutput(tb)
	c, err := instrumented.New(out.to(), o)
	if err != nil {
		tb.Fatal(err)
	}
	dir := tb.TempDir()
	for i, f := range files {
		path := filepath.Join(dir, string(rune('a'+i))+raw.Suffix)
		f.Save(tb, path)
		c.Add(path)
	}
	s, err := c.Finish(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	forest := tracetest.LoadChecked(tb, out.path)
	return s, forest, text(tb, forest)
}

// text is the text of a trace.
func text(tb testing.TB, forest *eager.Forest) string {
	tb.Helper()
	var b bytes.Buffer
	if err := forest.Print(&b, eager.PrintOptions{}); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

// Types and functions of the programs of these tests.
var (
	intType     = &raw.Type{ID: 1, Kind: 2, Flags: raw.TypeNamed, Name: "int"}
	stringType  = &raw.Type{ID: 2, Kind: 24, Flags: raw.TypeNamed, Name: "string"}
	orderType   = &raw.Type{ID: 3, Kind: 25, Flags: raw.TypeNamed, Name: "shop.Order", Package: "example.com/shop", Fields: []raw.Field{{Type: 1, Name: "ID"}, {Type: 2, Name: "Item"}}}
	pointerType = &raw.Type{ID: 4, Kind: 22, Element: 3, Name: "*shop.Order"}
	mapType     = &raw.Type{ID: 5, Kind: 21, Element: 3, Name: "map[string]shop.Order"}
	intsType    = &raw.Type{ID: 6, Kind: 23, Element: 1, Name: "[]int"}
	allTypes    = []*raw.Type{intType, stringType, orderType, pointerType, mapType, intsType}

	mainMain = &raw.Function{ID: 1, Line: 10, Package: "example.com/shop", Name: "main", File: "/src/shop/main.go"}
	sell     = &raw.Function{ID: 2, Line: 20, Flags: raw.FunctionReceiver, Arguments: []uint32{4, 3, 1}, Results: []uint32{1, 1}, Package: "example.com/shop", Name: "(*Order).Sell", File: "/src/shop/main.go", Names: "o,p,n"}
	goWork   = &raw.Function{ID: 3, Line: 30, Flags: raw.FunctionGo, Package: "example.com/shop", Name: "go work(i, f(2))", File: "/src/shop/main.go"}
	work     = &raw.Function{ID: 4, Line: 40, Arguments: []uint32{1}, Package: "example.com/shop", Name: "work", File: "/src/shop/main.go"}
)

func TestStory(t *testing.T) {
	f := rawtest.New(rawtest.Options{Clock: raw.ClockCounter})
	for _, typ := range allTypes {
		f.Type(typ)
	}
	g := f.Goroutine(0xc000)
	g.Begin(1, 0, 0, 0)
	f.Now += 100
	g.Enter(mainMain, 0)
	g.Enter(sell, 5, rawtest.Address(0xc0000100), rawtest.Struct(false, rawtest.Int(7), rawtest.String("apple")), rawtest.Int(3))
	f.Now += 1000
	g.Exit(sell, rawtest.Int(1), rawtest.Nil())
	g.Enter(sell, 5, rawtest.Nil(), rawtest.Struct(true, rawtest.Int(7)), rawtest.Int(3))
	g.Panic(sell, rawtest.Typed(stringType, rawtest.String("deep")))
	g.Go(goWork)
	f.Header(raw.AtReason, raw.ReasonLimit)
	f.Header(raw.AtLost, 12)
	w := f.Goroutine(0xc100)
	w.LeftOut = 5
	w.Begin(7, 1, 0x401234, 0x401234)
	w.Enter(work, 9, rawtest.Typed(mapType, rawtest.Map(0xc00100, 3)))
	w.Exit(work)
	g.Exit(mainMain)
	s, forest, got := convert(t, instrumented.Options{}, f)
	want := `# Thread 1 (main)
shop.main()
  Order@402653216.Sell(Order{ID:7, Item:"apple"}, 3): (1, nil)
  (*Order)(nil).Sell(Order{ID:7, …}, 3): threw panic: "deep"
  go work(i, f(2))
# Thread 2 (goroutine 7 ← 1)
shop.work(map[string]Order@1572896)
`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if s.Calls != 4 || s.Goroutines != 2 || s.Panics != 1 || s.Functions != 3 || s.LeftOut != 5 || s.Lost != 12 || len(s.Processes) != 1 {
		t.Errorf("%+v", s)
	}
	if p := s.Processes[0]; p.PID != 4711 || p.Arguments[1] != "-v" || p.Reason != raw.ReasonLimit || p.Calls != 4 || p.Functions != 3 || p.Damaged != 0 {
		t.Errorf("%+v", p)
	}
	// Where functions are declared.
	var declared []string
	for l := range forest.Context.Locations() {
		file, line, _ := forest.Context.FileLine(l.ID)
		class, _ := forest.Context.Text(l.Class)
		method, _ := forest.Context.Text(l.Method)
		declared = append(declared, fmt.Sprintf("%s:%d %s.%s", file, line, class, method))
	}
	slices.Sort(declared)
	if got := strings.Join(declared, ", "); got != "main.go:10 shop.main, main.go:20 shop.Order.Sell, main.go:30 shop.main, main.go:40 shop.work" {
		t.Errorf("places %s", got)
	}
	// What values have in them.
	var inside []string
	tracetest.Points(t, forest, func(_ *eager.Thread, p *format.Point, _ int) {
		for _, a := range p.Args {
			if a.Captured != nil {
				var fields []string
				for _, f := range a.Captured.Fields {
					fields = append(fields, f.Name+"="+string(forest.Context.AppendValueText(nil, &f.Value)))
				}
				inside = append(inside, strings.Join(fields, " "))
			}
		}
	})
	if got := strings.Join(inside, ", "); got != `ID=7 Item="apple", ID=7 …=…, len=3` {
		t.Errorf("fields %s", got)
	}
}
