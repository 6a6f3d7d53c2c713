package chrome

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/fit"
)

// TestNanoseconds reads times as tools write them.
func TestNanoseconds(t *testing.T) {
	for _, c := range []struct {
		text string
		ns   int64
		ok   bool
	}{
		{"0", 0, true}, {"1", 1000, true}, {"-1.5", -1500, true}, {"+2", 2000, true}, {".5", 500, true}, {"5.", 5000, true},
		{"1726786800123456.789", 1726786800123456789, true}, {"1726786800123456.7899", 1726786800123456789, true},
		{"1.726786800123456789e15", 1726786800123456789, true}, {"1.7E+15", 1_700_000_000_000_000_000, true}, {"2500e-3", 2500, true},
		{"0.0009", 0, true}, {"1e-400", 0, true}, {"0e999999999999", 0, true}, {"0.00000000000000000000000000001", 0, true},
		{"9223372036854775.807", math.MaxInt64, true}, {"9223372036854775.808", 0, false}, {"-9223372036854775.807", -math.MaxInt64, true},
		{"9300000000000000", 0, false}, {"1e16", 0, false}, {"123456789012345678901234567890e-20", 1234567890123, true}, {"1e400", 0, false},
		{"", 0, false}, {"-", 0, false}, {".", 0, false}, {"NaN", 0, false}, {"Infinity", 0, false}, {"1x", 0, false}, {"1e", 0, false},
		{"1e+", 0, false}, {"e5", 0, false}, {"1.2.3", 0, false}, {"--1", 0, false}, {"null", 0, false}, {"0x10", 0, false},
	} {
		if ns, _, ok := decimal(c.text, 3); ns != c.ns || ok != c.ok {
			t.Errorf("%q: %d, %v, want %d, %v", c.text, ns, ok, c.ns, c.ok)
		}
	}
}

// TestParts recognises what names have in them.
func TestParts(t *testing.T) {
	type said struct {
		class, method, file string
		line                int
	}
	for _, c := range []struct {
		category, name string
		said
	}{
		{"fee", "fib (/home/x.py:4)", said{"", "fib", "/home/x.py", 4}},
		{"FEE", "Dao.query (x.py:2)", said{"Dao", "query", "x.py", 2}},
		{"fee", "a.<locals>.<lambda> (C:\\x y.py:7)", said{"a.<locals>", "<lambda>", "C:\\x y.py", 7}},
		{"fee", `run (C:\a b\x (1).py:3)`, said{"", "run", `C:\a b\x (1).py`, 3}}, {"fee", "f (/a (b (c)) d/x.py:3)", said{"", "f", "/a (b (c)) d/x.py", 3}},
		{"app", "void f(int) (x.cc:3)", said{"app", "void f(int)", "x.cc", 3}}, {"app", "f:) (x.js:3)", said{"app", "f:)", "x.js", 3}}, {"app", "f(x.js:3)", said{"app", "f(x.js:3)", "", 0}},
		{"app", "f) :3)", said{"app", "f) :3)", "", 0}},
		{"python_function", `C:\a (1)\m.py(15): f`, said{"a (1).m", "f", `C:\a (1)\m.py`, 15}}, {"python_function", `D:a\m.py(15): f`, said{"a.m", "f", `D:a\m.py`, 15}},
		{"fee", "builtins.print", said{"builtins", "print", "", 0}},
		{"fee", ".x", said{"", ".x", "", 0}}, {"fee", "x.", said{"", "x.", "", 0}}, {"fee", "", said{"", "unnamed", "", 0}},
		{"app", "load (main.js:12)", said{"app", "load", "main.js", 12}},
		{"app", "load (12)", said{"app", "load (12)", "", 0}}, {"app", "load (a:b)", said{"app", "load (a:b)", "", 0}},
		{"app", " (a:1)", said{"app", " (a:1)", "", 0}}, {"app", "f (:1)", said{"app", "f (:1)", "", 0}},
		{"app", "f (a:99999999999)", said{"app", "f (a:99999999999)", "", 0}},
		{"", "f (a:-1)", said{"", "f (a:-1)", "", 0}},
		{"python_function", "torch/nn/modules/module.py(1501): _call_impl", said{"torch.nn.modules.module", "_call_impl", "torch/nn/modules/module.py", 1501}},
		{"python_function", "/usr/lib/x.py(3): <module>", said{"usr.lib.x", "<module>", "/usr/lib/x.py", 3}},
		{"python_function", "../a/b.py(3): f", said{"a.b", "f", "../a/b.py", 3}}, {"python_function", "../../b.py(3): f", said{"b", "f", "../../b.py", 3}},
		{"python_function", `..\a\b.py(3): f`, said{"a.b", "f", `..\a\b.py`, 3}}, {"python_function", "./a/b.py(3): f", said{"a.b", "f", "./a/b.py", 3}},
		{"python_function", "/x/../a//b.py(3): f", said{"a.b", "f", "/x/../a//b.py", 3}}, {"python_function", "a/../../b.py(3): f", said{"b", "f", "a/../../b.py", 3}},
		{"python_function", ".py(3): f", said{"", "f", ".py", 3}}, {"python_function", "../.py(3): f", said{"", "f", "../.py", 3}}, {"python_function", "..py(3): f", said{"", "f", "..py", 3}},
		{"python_function", "<built-in method f of type object at 0x9>", said{"python_function", "<built-in method f of type object at 0x9>", "", 0}},
		{"python_function", "x.py(3)", said{"python_function", "x.py(3)", "", 0}}, {"python_function", "x.py(a): f", said{"python_function", "x.py(a): f", "", 0}},
		{"cpu_op", "aten::add", said{"cpu_op", "aten::add", "", 0}},
	} {
		var got said
		got.class, got.method, got.file, got.line = parts(c.category, c.name)
		if got != c.said {
			t.Errorf("%s %q: %+v, want %+v", c.category, c.name, got, c.said)
		}
	}
}

// TestPythonValue reads values as Python shows them.
func TestPythonValue(t *testing.T) {
	c := format.NewContext(format.V22)
	for text, want := range map[string]string{
		"1": "1", "-1.5": "-1.5", "True": "true", "False": "false", "None": "None", "'x'": `"x"`, `"it's"`: `"it's"`, `'a\n'`: `'a\n'`, `'`: `'`,
		"''": `""`, `'a' 'b'`: `'a' 'b'`, "[1, 2]": "[1, 2]", "": "", "nan": "nan", "1e5": "100000.0", "12345678901234567890": "12345678901234567890",
		"-": "-", "1 thing": "1 thing", "<x at 0x7>": "<x at 0x7>",
	} {
		v := pythonValue(text)
		if got := string(c.AppendValueText(nil, &v)); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

// TestLongNames: names that are kept have a limit, all together.
func TestLongNames(t *testing.T) {
	to := calltrace.New(tracefile.Files{}, calltrace.Options{})
	defer to.Discard()
	ts := newTracks(to, "")
	long := strings.Repeat("x", fit.MaxName-8)
	made, operations := 0, 0
	for i := range 2 * maxBytes / fit.MaxName {
		if ts.thread("1", fmt.Sprint(i)+long) != nil {
			made++
		}
		if ts.async(asyncKey{pid: "1", id: fmt.Sprint(i) + long}) != nil {
			operations++
		}
	}
	if most := maxBytes / (fit.MaxName - 16); made+operations > most || made+operations < most/2 || ts.named(long) != "" {
		t.Errorf("%d threads and %d operations", made, operations)
	}
	if ts.thread("1", "0"+long) == nil || ts.bytes > maxBytes+2*fit.MaxName {
		t.Errorf("%d bytes", ts.bytes)
	}
	n := newNames(to)
	for i := range 2 * knownBytes / 1000 {
		n.of("", fmt.Sprint(i)+strings.Repeat("n", 1000))
	}
	if n.bytes > knownBytes || len(n.known) > knownBytes/1000 {
		t.Errorf("%d names of %d bytes are remembered", len(n.known), n.bytes)
	}
	if n.of("", strings.Repeat("n", knownBytes+1)); len(n.known) > 1 {
		t.Error("a very long name is remembered")
	}
}

// TestUnescape has damaged escapes, too.
func TestUnescape(t *testing.T) {
	for text, want := range map[string]string{
		`a\n\t\"\\\/b`: "a\n\t\"\\/b", `\u00e4\u20AC`: "ä€", `\ud83d\ude00`: "😀", `\ud83d`: "�", `\ude00x`: "�x", `\ud83d\u0041`: "�A",
		`\ud83d\ud83d\ude00`: "�😀", `\u12`: `\u12`, `\u12G4`: `\u12G4`, `\q`: `\q`, `\`: `\`, `\u`: `\u`, `\u0000`: "\x00",
	} {
		if got := unescape(text); got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
}
