package uftrace

import (
	"fmt"
	"strings"
	"testing"

	"tracex/recorder/convert/fit"
)

// rulesCases are lines of info, debug information of functions, and the specifications that apply to the
// function of a name: those of arguments, a slash, those of results; as kind and size each.
var rulesCases = []struct {
	info, debug string
	name        string
	want        string
}{
	{"argspec:f@arg1/i32", "", "f", "i4 |"},
	{"argspec:f@arg1/i32", "", "ff", "|"},
	{"argspec:^f@arg1/i32", "", "ff", "i4 |"},
	{"argspec:f.@arg1/i32", "", "f", "|"},
	{"pattern_type:glob\nargspec:f*@arg1/i32", "", "ff", "i4 |"},
	{"pattern_type:glob\nargspec:[a-g]?@arg1/i32", "", "ff", "i4 |"},
	{"pattern_type:glob\nargspec:[!a-g]?@arg1/i32", "", "ff", "|"},
	{"pattern_type:simple\nargspec:f.@arg1/i32", "", "ff", "|"},
	{"argspec:operator new[]@arg1/u", "", "operator new[]", "u8 |"},
	{"argspec:(@arg1/u", "", "(", "u8 |"},
	// Several for one function: in order, unless they are for the same value.
	{"argspec:f@arg2/s;f@arg1/i32", "", "f", "s8 i4 |"},
	{"argspec:f@arg1/s;^f$@arg1/i32,arg2/c", "", "f", "s8 c1 |"},
	{"argspec:^f$@arg1/s;f@arg1/i32", "", "f", "i4 |"},
	{"argspec:f@arg1/p%rdi,arg2/x%RDI", "", "f", "x8 |"},
	{"argspec:f@arg1/i32\nretspec:f@retval/s", "", "f", "i4 | s8"},
	{"argspec:f@arg1/i32,retval/c", "", "f", "i4 | c1"},
	// Not understood: the whole specification does not count.
	{"argspec:f@arg1/i32,arg2/q;f@arg3/c", "", "f", "c1 |"},
	// Other actions, and files.
	{"argspec:f@arg1/i32,depth=3,trace_on,backtrace", "", "f", "i4 |"},
	{"argspec:f@prog,arg1/i32", "", "f", "i4 |"},
	{"argspec:f@libc,arg1/i32", "", "f", "|"},
	{"argspec:f@kernel,arg1/i32", "", "f", "|"},
	{"argspec:f@PLT,arg1/i32", "", "f", "|"},
	{"argspec:puts@PLT,arg1/s", "", "puts", "s8 |"},
	// From the table and from debug information.
	{"argspec:puts\nargauto:puts@arg1/s;f@arg1/c", "", "puts", "s8 |"},
	{"argauto:puts@arg1/s\nretauto:puts@retval/d32\nauto-args:1", "", "puts", "s8 | d4"},
	{"argauto:_Znwm@arg1/u\nretauto:_Znwm@retval/x\nauto-args:1", "", "_Znwm", "u8 | x8"},
	{"auto-args:1", "A: @arg1/p,fparg1/32\nR: @retval/e:color", "f", "p8 f4 | e8"},
	{"argauto:f@arg1/s\nauto-args:1", "A: @arg1/p", "f", "p8 |"},
	{"argauto:f@arg1/s\nauto-args:1", "R: @retval", "f", "s8 | d8"},
	{"argspec:f@arg2/c\nauto-args:1", "A: @arg1/p\nR: @retval", "f", "c1 | d8"},
	{"argauto:f@arg1/s", "A: @arg1/p", "f", "|"},
}

func TestRules(t *testing.T) {
	for _, c := range rulesCases {
		d := newDirectory(c.info)
		d["program.dbg"] = "# path name: /bin/program\nF: 0 x\nL: 1 x.c\n" + c.debug + "\n"
		f := folder{files: d.files()}
		machine, err := f.readInfo()
		if err != nil {
			t.Fatal(err)
		}
		var left fit.Tally
		g, err := f.readDebug("program.dbg", &left)
		if err != nil {
			t.Fatal(err)
		}
		kind := byte('T')
		if c.name == "puts" {
			kind = symbolPLT
		}
		names := symbols{{name: c.name, kind: kind}}.demangle()
		s := &session{program: "/bin/program", mappings: []mapping{{path: "/bin/program"}}}
		l := newRules(machine).of(names, &s.mappings[0], s, g.functions[0])
		if got := kindsOf(l.args) + "|" + strings.TrimSuffix(" "+kindsOf(l.results), " "); got != c.want {
			t.Errorf("%s, %s: %s has %q, want %q", c.info, c.debug, c.name, got, c.want)
		}
	}
}

func kindsOf(list []spec) (text string) {
	for _, s := range list {
		text += fmt.Sprintf("%c%d ", s.kind, s.size)
	}
	return text
}

// TestGlobs: the patterns of a shell.
func TestGlobs(t *testing.T) {
	for _, c := range []struct {
		glob, name string
		want       bool
	}{
		{"*", "a::b/c", true}, {"a*c", "abc", true}, {"a*c", "abcd", false}, {"?", "", false}, {"[]]", "]", true}, {"[!]]", "]", false},
		{"[", "[", true}, {"a[", "a[", true}, {`\*`, "*", true}, {`\*`, "x", false}, {`*a\`, "a", true}, {"f(int)", "f(int)", true}, {"[b-a]", "[b-a]", true},
	} {
		p := newPattern(c.glob, &info{glob: true})
		if got := p.matches(c.name); got != c.want {
			t.Errorf("%s matches %s: %t", c.glob, c.name, got)
		}
	}
}
