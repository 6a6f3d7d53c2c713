package recorder

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tracex/lazy"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/internal/versiontest"
)

// Locations in the source record what is called, read and written there.
func TestLocations(t *testing.T) { versiontest.EachVersion(t, testLocations) }

func testLocations(t *testing.T) {
	c := Config{Path: filepath.Join(t.TempDir(), "trace.bin")}
	r := start(t, c)
	class := r.Class("shop.Order")
	items := r.Field(class, "items", FieldInfo{Type: ObjectType("[]shop.Item")})
	open := r.Field(r.Class("shop"), "Open", FieldInfo{Static: true})
	order, i := r.Variable("order", ObjectType("shop.Order")), r.Variable("i", Type{})
	pay := r.Method(class, "Pay", Type{}, Type{}, Type{})
	index := r.Path(Local(i))
	element := r.Path(Local(order), Member(items), ElementBy(index))
	first := r.Path(Member(open), Element(0))
	for name, p := range map[string]Path{
		"an unknown variable": r.Path(Local(99)),
		"an unknown field":    r.Path(Member(99)),
		"no index":            r.Path(Local(order), ElementBy(0)),
	} {
		if p != 0 {
			t.Errorf("a path with %s is %d", name, p)
		}
	}
	th := r.Thread("main")
	th.Enter(pay, r.Location(CodeLocation{File: "order.go", Class: "shop", Method: "All", Line: 7, Path: r.Path(Local(order)),
		Args: []Path{index, first}}), Object(class, 1), Int(3), Int(4))
	th.ReadElement(Object(class, 2), 3, r.Location(CodeLocation{File: "order.go", Line: 9, Path: element}), Null())
	th.WriteField(open, r.Caller(0), Null(), Bool(true))
	_, _, below, _ := runtime.Caller(0) // the line before this one is Caller's
	th.Exit(Void())
	location := CodeLocation{File: "order.go", Line: 9, Path: element}
	if once, again := r.Location(location), r.Location(location); once != again {
		t.Error("the same place has two numbers")
	}
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := tracetest.LoadChecked(t, c.Path).Print(&text, lazy.PrintOptions{Verbose: true}); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`# Thread 1
order.Pay(i ➜ 3, shop.Open[0] ➜ 4) at order.go:7
  order.items[i][3] ➜ null at order.go:9
  shop.Open = true at location_test.go:%d
`, below-1)
	if text.String() != want {
		t.Errorf("the trace is\n%s\nwant\n%s", text.String(), want)
	}
}
