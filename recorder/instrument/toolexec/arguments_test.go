package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tracex/recorder/instrument/wrapper"
)

func TestShown(t *testing.T) {
	for _, c := range []struct{ path, rules, want string }{
		{"/src/p/p.go", "", "/src/p/p.go"},
		{"/src/p/p.go", "/tmp/b001=>", "/src/p/p.go"},
		{"/tmp/b001/p.go", "/tmp/b001=>", "p.go"},
		{"/tmp/b0012/p.go", "/tmp/b001=>", "/tmp/b0012/p.go"},
		{"/src/p/p.go", "/src/p=>example.com/p;/tmp/b001=>", "example.com/p/p.go"},
		{"/src/p/p.go", "/src/p=>example.com/p@v1.0.0;/src=>x", "example.com/p@v1.0.0/p.go"},
		{"/SRC/p/p.go", "/src/p", "p.go"},
		{"/src/p", "/src/p=>x", "x"},
		{"/src/a=>b/p.go", "/src/a=>b=>c", "c/p.go"},
		{"grammar.y", "/src=>x", "grammar.y"},
	} {
		if have := shown(c.path, c.rules); have != c.want {
			t.Errorf("shown(%q, %q) = %q, want %q", c.path, c.rules, have, c.want)
		}
	}
}

func TestFlags(t *testing.T) {
	args := []string{"-o", "a", "-importcfg=b", "-tracex=1", "-p", "-importcfg", "x", "-tracex=2", "f.go"}
	plain, stamped := withoutStamp(args)
	if want := []string{"-o", "a", "-importcfg=b", "-p", "-importcfg", "x", "f.go"}; !stamped || !slices.Equal(plain, want) {
		t.Errorf("%q, %t", plain, stamped)
	}
	if _, stamped := withoutStamp(plain); stamped {
		t.Error("there is a stamp in arguments without one")
	}
	for _, c := range []struct {
		name, want string
		at         int
	}{{"-o", "a", 1}, {"-importcfg", "x", 5}, {"-lang", "", -1}} {
		if at, value := flagValue(plain, c.name); at != c.at || value != c.want {
			t.Errorf("%s is %q at %d", c.name, value, at)
		}
	}
	for _, list := range [][]string{{"-a", "-importcfg", "x", "b"}, {"-a", "-importcfg=x", "b"}} {
		at, _ := flagValue(list, "-importcfg")
		before := slices.Clone(list)
		have := replaced(list, at, "-importcfg", "new")
		if _, value := flagValue(have, "-importcfg"); value != "new" || len(have) != len(list) || !slices.Equal(list, before) {
			t.Errorf("%q has become %q", before, have)
		}
	}
}

func TestExpand(t *testing.T) {
	path := filepath.Join(t.TempDir(), "args")
	if err := os.WriteFile(path, []byte("-o\nab\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{"-x", "@" + path, "@missing", "y"}
	if have, want := expand(args), []string{"-x", "-o", "ab", "@missing", "y"}; !slices.Equal(have, want) {
		t.Errorf("%q, want %q", have, want)
	}
	if have := expand([]string{"a", "b"}); !slices.Equal(have, []string{"a", "b"}) {
		t.Errorf("%q", have)
	}
}

// TestResponseFiles: the arguments in response files, as older and newer releases of Go write them.
func TestResponseFiles(t *testing.T) {
	for _, c := range []struct {
		form func(string) []string
		text string
		want []string
	}{
		{lines, "-o\na b\nc:\\\\d\\ne\\\\n\n", []string{"-o", "a b", "c:\\d\ne\\n"}},
		{lines, "-o\r\n\"a\"\r\n", []string{"-o", `"a"`}},
		{words, "-o\n\"a b\"\n\"c:\\\\d\ne\"\n", []string{"-o", "a b", "c:\\d\ne"}},
		{words, "\"\"\n''\r\na\t'b c'\"d\"e", []string{"", "", "a", "b cde"}},
		{words, `"\$x \" \n" '\"' \a\ b`, []string{`$x " \n`, `\"`, "a b"}},
		{words, "a\\\nb \"c\\\r\nd\"\\", []string{"ab", `cd\`}},
		{words, " \n", nil},
	} {
		if have := c.form(c.text); !slices.Equal(have, c.want) {
			t.Errorf("%q has %q, want %q", c.text, have, c.want)
		}
	}
}

// TestArchiveOf: which archive matches which arguments.
func TestArchiveOf(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-o a -p p p.go", "a.a"}, {"-o a -shared p.go", "a.a.shared"}, {"-dynlink p.go", "a.a.shared"},
	} {
		compilation := &compilation{args: strings.Fields(c.args), settings: wrapper.Settings{Archive: "a.a"}}
		if have := compilation.archive(); have != c.want {
			t.Errorf("compile %s: %s", c.args, have)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"-o a", "a.a"}, {"-buildmode=exe", "a.a"}, {"-buildmode=pie", "a.a.shared"}, {"-buildmode c-shared", "a.a.shared"}, {"-buildmode=c-archive", "a.a.shared"},
	} {
		if have, err := linkArchive(wrapper.Settings{Archive: "a.a"}, strings.Fields(c.args)); have != c.want || err != nil {
			t.Errorf("link %s: %s, %v", c.args, have, err)
		}
	}
	for _, mode := range []string{"plugin", "shared"} {
		if _, err := linkArchive(wrapper.Settings{}, []string{"-buildmode=" + mode}); err == nil || !strings.Contains(err.Error(), "-buildmode="+mode) {
			t.Errorf("%s: %v", mode, err)
		}
	}
}
