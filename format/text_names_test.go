package format

import (
	"math"
	"testing"
)

func TestShortClass(t *testing.T) {
	for full, want := range map[string]string{
		"java.lang.String":                     "String",
		"NoPackage":                            "NoPackage",
		"java.lang.String[]":                   "String[]",
		"example.com/m.x/a/util.Err":           "Err",
		"main.Set[example.com/x.Key]":          "Set[example.com/x.Key]",
		"java.util.Map$Entry":                  "Map.Entry",
		"a.Foo$1":                              "Foo$1",
		"a.Foo$Bar$Baz":                        "Foo.Bar.Baz",
		"a.foo$Bar":                            "foo$Bar",
		"a.SynthKt$main$Plain":                 "SynthKt$main$Plain",
		"a.A$$B":                               "A$$B",
		"kotlin.jvm.internal.Ref$IntRef":       "IntRef",
		"a.Load$$Lambda$14/0x00007f0a2c000a00": "Load$$Lambda",
		"a.Load$$Lambda/0x00007f0a2c000a00":    "Load$",
		"[Ljava.lang.String;":                  "String;",
		"a.Ärger$Öl":                           "Ärger.Öl",
		"a.Ⅷ$B":                                "Ⅷ.B", // Other_Uppercase
		"a.\U0001d400$B":                       "\U0001d400$B",
		"":                                     "",
	} {
		if got := ShortClass(full); got != want {
			t.Errorf("%q: got %q, want %q", full, got, want)
		}
	}
}

func TestThisLike(t *testing.T) {
	for name, want := range map[string]bool{
		"this": true, "$this": true, "this$0": true, "this$12": true, "this$": false, "this$x": false,
		"this_$iv": true, "this_$iv$iv": true, "this_$ivory": true, "$this$apply$iv": true, "$this$a$iv$iv": true,
		"$this$$iv": false, "$this$iv": false, "$this$apply": false, "thisOne": false, "x": false, "": false,
	} {
		if got := thisLike(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

func TestShownNames(t *testing.T) {
	for name, want := range map[string]string{
		"x": "x", "tmp$iv": "tmp", "x$iv$iv": "x$iv", "$this": "this", "$this$apply": "apply", "$this_run": "_run",
		"$i": "i", "$$i": "$i", "$this$iv": "this",
	} {
		if got := newNamedVariable(VariableDescriptor{Name: name}).shown; got != want {
			t.Errorf("variable %q: %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]string{"f": "f", "state$volatile$FU": "state", "$f": "f", "$$f": "$f"} {
		if got := newNamedField(FieldDescriptor{Name: name}).shown; got != want {
			t.Errorf("field %q: %q, want %q", name, got, want)
		}
	}
	if got := newNamedMethod(MethodDescriptor{Name: "run$kotlinx_coroutines_core"}).shown; got != "run" {
		t.Errorf("method: %q", got)
	}
}

func TestFloatText(t *testing.T) {
	for want, x := range map[string]float64{
		"0.0": 0, "-0.0": math.Copysign(0, -1), "NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1),
		"1.0": 1, "-1.5": -1.5, "0.1": 0.1, "0.001": 0.001, "0.00125": 0.00125, "9.99E-4": 0.000999, "123.0": 123,
		"1000000.0": 1e6, "9999999.0": 9999999, "1.0E7": 1e7, "1.2345678E7": 12345678, "123456.789": 123456.789,
		"4.9E-324": math.SmallestNonzeroFloat64, "9.9E-324": 2 * math.SmallestNonzeroFloat64,
		"1.7976931348623157E308": math.MaxFloat64, "2.2250738585072014E-308": 0x1p-1022,
		// Java 17, which the reference runs on, printed these with other last digits.
		"5.684341886080802E-14": 0x1p-44, "2.0E23": 2e23, "1.0E23": 1e23, "3.141592653589793": math.Pi,
	} {
		if got := string(appendFloat(nil, x, 64)); got != want {
			t.Errorf("%g: got %s, want %s", x, got, want)
		}
	}
	for want, x := range map[string]float32{
		"0.1": 0.1, "1.4E-45": math.SmallestNonzeroFloat32, "2.8E-45": 2 * math.SmallestNonzeroFloat32,
		"3.4028235E38": math.MaxFloat32, "1.1754944E-38": 0x1p-126, "1.6777216E7": 1 << 24, "3.3333333E-4": 1.0 / 3000,
	} {
		if got := string(appendFloat(nil, float64(x), 32)); got != want {
			t.Errorf("float %g: got %s, want %s", x, got, want)
		}
	}
}

// TestPlaceClass: the slashes of a class file are dots, those of a Go package stay.
func TestPlaceClass(t *testing.T) {
	c := NewContext(Newest)
	texts := []string{"u.go", "a/util.T", "App.java", "app/App"}
	for i, text := range texts {
		b, err := (&StringObject{ID: int32(i), Value: text}).Append(nil, Newest)
		if err == nil {
			_, _, err = c.Add(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range []struct {
		file, class int32
		want        string
	}{{0, 1, "a/util.T"}, {2, 3, "app.App"}, {-1, 3, "app.App"}, {0, -1, ""}} {
		if got := PlaceClass(c, &CodeLocation{File: w.file, Class: w.class}); got != w.want {
			t.Errorf("file %d, class %d: %q, want %q", w.file, w.class, got, w.want)
		}
	}
}
