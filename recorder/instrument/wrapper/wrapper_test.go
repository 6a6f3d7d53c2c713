package wrapper

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tracex/recorder/instrument/rewrite"
)

// environment returns the variables of an environment.
func environment(list []string) func(string) string {
	return func(name string) string {
		for _, v := range list {
			if value, ok := strings.CutPrefix(v, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

func TestSettings(t *testing.T) {
	for _, want := range []Settings{
		{Archive: "/a b/c.a", Options: Options{Tests: true}, Never: []string{"runtime", "internal/abi"}, Report: "/r", Names: "x_-9"},
		{Archive: "x", Options: Options{Trivial: true}, Never: []string{}},
	} {
		have, err := Load(environment(want.Environ()))
		if err != nil || !reflect.DeepEqual(have, want) {
			t.Errorf("%+v has become %+v, %v", want, have, err)
		}
	}
	for _, list := range [][]string{
		nil,
		{archiveVariable + "=x", optionsVariable + "=tests"},
		{archiveVariable + "=x", optionsVariable + "=tests=maybe"},
		{archiveVariable + "=x", optionsVariable + "=test=true"},
	} {
		if s, err := Load(environment(list)); err == nil {
			t.Errorf("%q: %+v without an error", list, s)
		}
	}
}

func TestReports(t *testing.T) {
	dir := t.TempDir()
	want := []Report{
		{Package: "example.com/p", Statements: 3, Functions: []rewrite.Function{
			{Name: "f", File: "/a b/\"c\".go", Line: 1, Reason: ""},
			{Name: "(*T[...]).m.func1", File: "x\n.go", Line: 123456, Reason: "//go:nosplit"},
		}},
		{Package: "example.com/p [example.com/p.test]", Failed: "undefined: \"x\"\té"},
	}
	for _, r := range want {
		for range 2 { // the second replaces the first
			if err := r.Write(dir); err != nil {
				t.Fatal(err)
			}
		}
	}
	have, err := ReadReports(dir)
	if err != nil || !reflect.DeepEqual(have, want) {
		t.Errorf("%+v have become %+v, %v", want, have, err)
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) != 2 {
		t.Errorf("files %q", names)
	}
	if have, err := ReadReports(t.TempDir()); len(have) != 0 || err != nil {
		t.Errorf("%+v, %v", have, err)
	}
	if err := want[0].Write(filepath.Join(dir, "missing")); err == nil {
		t.Error("a report is written into a directory that does not exist")
	}
}

// TestDamagedReports: text that is no report is an error, and is named.
func TestDamagedReports(t *testing.T) {
	for _, text := range []string{
		"package p\n", "package \"p\" x\n", "statements x\n", "statements -1\n", "function 1 \"a\" \"b\"\n", "function \"a\"\n",
		"function 1 \"a\" \"b\" \"c\" \"d\"\n", "other\n", "\n", "package `", "function 99999999999999999999 \"a\" \"b\" \"c\"\n",
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "x"+reportSuffix)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if all, err := ReadReports(dir); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: %+v, %v", text, all, err)
		}
	}
}
