package interop

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
)

// Names that Lincheck's printer shortens, hides or folds by, and ordinary ones.
var (
	trickyClasses = []string{"a.Foo", "a.Foo$Companion", "a.FooKt", "Bar", "kotlin.jvm.internal.Ref$IntRef", "a.b.Map$Entry", "a.Foo$1",
		"a.Outer$Inner$Deep", "a.Outer$inner$Deep", "a.B$$Lambda$14/0x00007f", "a.B$$Lambda/0x00007f", "a.Foo$sam$1", "java.lang.String", "java.lang.Integer", "a.Kt", "$", "a.$", "a.A$B$1$C",
		"[I", "[[Ljava.lang.String;", "java.lang.Boolean", "java.lang.Long", "java.lang.StringBuilder", "java.nio.HeapCharBuffer"}
	trickyFields = []string{"name", "count", "open", "INSTANCE", "Companion", "element", "$this", "this$0", "this$", "this$x", "value$volatile$FU",
		"$value", "$$x", "__$hits$__", "__$traceMask$__", "__$classData$__", "isOpen", "x$iv", "this"}
	trickyVariables = []string{"x", "this", "$this", "this_$iv", "this_$iv$iv", "$this$foo$iv", "$this$foo$iv$iv", "$this$foo", "$this$$iv", "$thisx", "x$iv", "x$iv$iv",
		"$x", "$this$iv", "<set-?>", "__$coverage_local$__", "__$hits$__", "$i$f$foo", "this$0"}
	trickyMethods = []string{"<init>", "f", "f$default", "access$f", "access$f$default", "getName", "setName", "getCount", "setCount", "getOpen", "isOpen", "setOpen",
		"access$getName", "access$getName$p", "access$setName", "access$setName$p", "access$get_name", "m$kotlinx_coroutines_core", "get", "set", "access$"}
	trickyTypes = []format.Type{{Kind: format.TypeInt}, {Kind: format.TypeVoid}, {Kind: format.TypeObject, Class: "java.lang.String"},
		{Kind: format.TypeObject, Class: "a.Foo"}, {Kind: format.TypeLong}, {Kind: format.TypeBoolean}, {Kind: format.TypeInt, Dims: 1},
		{Kind: format.TypeObject, Class: "java.lang.String", Dims: 2}, {Kind: format.TypeObject, Class: "java.lang.Integer"},
		{Kind: format.TypeObject, Class: "java.math.BigInteger"}, {Kind: format.TypeObject, Class: "java.math.BigDecimal"},
		{Kind: format.TypeObject, Class: "java.lang.Class"}, {Kind: format.TypeObject, Class: "kotlin.reflect.KClass"},
		{Kind: format.TypeObject, Class: "java.lang.StringBuilder"}, {Kind: format.TypeObject, Class: "kotlin.Unit"}}
	trickyTexts = []string{"Foo.kt", "a.Foo", "f", ""}
)

// trickySeeds is how many such traces are compared.
const trickySeeds = 40

// The real reader prints and folds names with a special meaning as we do.
func TestReferenceReadsTrickyNames(t *testing.T) { eachReference(t, testReadsTrickyNames) }

func testReadsTrickyNames(t *testing.T, r *reference) {
	for seed := range uint64(trickySeeds) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			data := trickyTrace(t, r.release.version, seed)
			sameTree(t, r, data, false)
			sameTree(t, r, data, true)
		})
	}
}

// Our lazy reader prints and folds such names as our eager loader does. This
// test needs no Java.
func TestTrickyNamesLazyEqualsEager(t *testing.T) {
	for _, l := range releases {
		t.Run(l.String(), func(t *testing.T) {
			for seed := range uint64(trickySeeds) {
				lazyEqualsEager(t, trickyTrace(t, l.version, seed))
			}
		})
	}
}

func lazyEqualsEager(t *testing.T, data string) {
	t.Helper()
	r, err := lazy.Open(data, lazy.Options{NoWrite: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, folded := range []bool{false, true} {
		o := lazy.PrintOptions{Verbose: true, Folded: folded}
		var text strings.Builder
		if err := r.Print(t.Context(), &text, o, lazy.PrintRange{}); err != nil {
			t.Fatal(err)
		}
		sameText(t, text.String(), printedByUs(t, data, o, allRoots))
	}
}

// tricky makes a trace of one thread.
type tricky struct {
	r         *rand.Rand
	version   format.Version
	t         *formattest.Thread
	event     int32
	methods   []format.MethodDescriptor
	fields    []format.FieldDescriptor
	locations int
	paths     int
}

func trickyTrace(t *testing.T, version format.Version, seed uint64) string {
	t.Helper()
	var data, index bytes.Buffer
	w := formattest.NewWriter(&data, &index, formattest.Options{Version: version})
	g := &tricky{r: rand.New(rand.NewPCG(seed, 3)), version: version, t: w.Thread(0)}
	g.vocabulary()
	for range 12 {
		g.call(0, int32(g.r.IntN(len(g.methods))))
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "trace.bin")
	for name, b := range map[string][]byte{path: data.Bytes(), path + ".idx": index.Bytes()} {
		if err := os.WriteFile(name, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// vocabulary writes all reference objects: each class, variable and text, and
// some of the possible methods, fields, paths and locations.
func (g *tricky) vocabulary() {
	for i, name := range trickyClasses {
		g.t.Reference(format.KindClassDescriptor, int32(i), &format.ClassDescriptor{ID: int32(i), Name: name})
	}
	for i, name := range trickyTexts {
		g.t.Reference(format.KindString, int32(i), &format.StringObject{ID: int32(i), Value: name})
	}
	for i, name := range trickyVariables {
		g.t.Reference(format.KindVariableDescriptor, int32(i), &format.VariableDescriptor{ID: int32(i), Name: name, Type: trickyTypes[0]})
	}
	// Few classes have methods and fields, to make callers and callees match often.
	for i := range 5 * len(trickyMethods) {
		m := format.MethodDescriptor{ID: int32(i), ClassID: int32(g.r.IntN(6)), Name: trickyMethods[i%len(trickyMethods)], Result: g.kind()}
		for range g.r.IntN(3) {
			m.Args = append(m.Args, g.kind())
		}
		g.methods = append(g.methods, m)
		g.t.Reference(format.KindMethodDescriptor, m.ID, &m)
	}
	for i := range 8 * len(trickyFields) {
		f := format.FieldDescriptor{ID: int32(i), ClassID: int32(g.r.IntN(6)), Name: trickyFields[i%len(trickyFields)], Type: g.kind(),
			Static: g.r.IntN(2) == 0, Final: g.r.IntN(2) == 0}
		g.fields = append(g.fields, f)
		g.t.Reference(format.KindFieldDescriptor, f.ID, &f)
	}
	for range 120 {
		g.t.Reference(format.KindAccessPath, int32(g.paths), &format.AccessPath{ID: int32(g.paths), Steps: g.steps()})
		g.paths++
	}
	for range 200 {
		g.location()
	}
}

func (g *tricky) kind() format.Type { return trickyTypes[g.r.IntN(len(trickyTypes))] }

func (g *tricky) steps() []format.AccessStep {
	var steps []format.AccessStep
	for range 1 + g.r.IntN(3) {
		field := g.fields[g.r.IntN(len(g.fields))]
		kind := format.AccessObjectField
		if field.Static {
			kind = format.AccessStaticField
		}
		switch x := g.r.IntN(6); {
		case x < 2:
			steps = append(steps, format.AccessStep{Kind: format.AccessVariable, Ref: int32(g.r.IntN(len(trickyVariables)))})
		case x == 2:
			steps = append(steps, format.AccessStep{Kind: format.AccessElement, Ref: int32(g.r.IntN(10))})
		case x == 3 && g.paths > 0:
			steps = append(steps, format.AccessStep{Kind: format.AccessNamedElement, Ref: int32(g.r.IntN(g.paths))})
		default:
			steps = append(steps, format.AccessStep{Kind: kind, Ref: field.ID})
		}
	}
	return steps
}

// text returns a shared string, or none.
func (g *tricky) text() int32 { return int32(g.r.IntN(len(trickyTexts)+1) - 1) }

func (g *tricky) location() {
	l := format.CodeLocation{Kind: format.LocationKind(g.r.IntN(3)), ID: int32(g.locations),
		File: g.text(), Class: g.text(), Method: g.text(), Line: int32(g.r.IntN(100)), Path: -1}
	if l.Kind != format.LocationLine && g.r.IntN(3) > 0 {
		l.Path = int32(g.r.IntN(g.paths))
	}
	if g.version >= format.V27 && g.r.IntN(8) == 0 {
		l.Kind, l.Path, l.Loops = format.LocationLoop, -1, []int32{l.ID, 1}
	}
	if l.Kind == format.LocationCall {
		for range g.r.IntN(3) {
			l.ArgNames = append(l.ArgNames, int32(g.r.IntN(g.paths+1)-1))
		}
	}
	g.t.Reference(format.KindCodeLocation, l.ID, &l)
	g.locations++
}
