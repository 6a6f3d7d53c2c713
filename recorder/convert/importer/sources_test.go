package importer

import (
	"bytes"
	"slices"
	"testing"

	"tracex/recorder/convert/sources"
)

// samples are beginnings of files, by the name of the source that they are of; "" for none.
var samples = map[string][]string{
	"chrome": {
		`{"traceEvents":[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]}`,
		`[{"name":"a","ph":"B","ts":1,"pid":1,"tid":1},`,
		`{"schemaVersion": 1, "deviceProperties": [{"id": 0}], "traceEvents": [` + "\n" + `{"ph": "X", "cat": "cpu_op"`,
		"[]",
		"\xef\xbb\xbf[\n{\"pid\":1,\"tid\":1,\"ts\":0,\"ph\":\"M\",\"name\":\"process_name\"",
	},
	"appmap": {
		`{"version":"1.9","metadata":{"client":{"name":"appmap-ruby"}},"classMap":[],"events":[{"id":1,"event":"call"}]}`,
		`{"events":[{"id":1,"event":"call","thread_id":1,"defined_class":"A","method_id":"b"}],"version":"1.9","metadata":{}}`,
	},
	"otlp": {
		`{"resourceSpans":[]}`,
		`{"batches":[{"resource":{},"scopeSpans":[]}]}`,
	},
	"jaeger": {
		`{"data":[{"traceID":"1","spans":[{"traceID":"1","spanID":"2","operationName":"a"}],"processes":{}}]}`,
	},
	"go": {
		"go 1.23 trace\x00\x00\x00\x01",
		"go 1.26 trace\x00\x00\x00\x01",
	},
	"xdebug": {
		"Version: 3.1.6\nFile format: 4\nTRACE START [2022-10-07 08:26:45.042351]\n2\t1\t0\t0.000177\t381200\t{main}\t1\t\t/a.php\t0\t0\n",
	},
	"": {
		"", "\n", "{", "[", "{}", "[1,2]", `{"name":"x"}`, `[{"name":"x"}]`, `{"data":[]}`, `{"events":[]}`, "text", "<html>",
		"\x0a\x0b\x08\x01\x10\x02", "\x00\x00", `{"nodes":[],"samples":[]}`, `"traceEvents"`,
	},
}

// TestSources: a file is of one source, and of no other.
func TestSources(t *testing.T) {
	for want, heads := range samples {
		for _, head := range heads {
			var of []string
			for i := range all {
				if s := &all[i]; s.Is != nil && s.Is([]byte(head)) {
					of = append(of, s.Name)
				}
			}
			if want == "" && len(of) > 0 || want != "" && !slices.Equal(of, []string{want}) {
				t.Errorf("%.60q is of %q, want %q", head, of, want)
			}
		}
	}
}

// TestSourcesWhole: each source has what the others have, and a sample.
func TestSourcesWhole(t *testing.T) {
	dir := t.TempDir()
	for i := range all {
		s := &all[i]
		if s.Name == "" || s.What == "" || s.Convert == nil || s.Is == nil && s.IsFolder == nil {
			t.Errorf("%s: something is missing: %+v", s.Name, s)
		}
		if first(func(o *sources.Source) bool { return o.Name == s.Name }) != s {
			t.Errorf("two sources are called %s", s.Name)
		}
		if s.Is != nil && samples[s.Name] == nil {
			t.Errorf("there is no sample of %s", s.Name)
		}
		if s.IsFolder != nil && s.IsFolder(dir) {
			t.Errorf("an empty folder is of %s", s.Name)
		}
	}
}

// FuzzSources: whatever a file begins with, recognizing it does not fail.
func FuzzSources(f *testing.F) {
	for _, heads := range samples {
		for _, head := range heads {
			f.Add([]byte(head))
		}
	}
	f.Fuzz(func(t *testing.T, head []byte) {
		for i := range all {
			if is := all[i].Is; is != nil {
				is(head)
			}
		}
	})
}

// TestOf: the first source decides, and a file is of no source for folders.
func TestOf(t *testing.T) {
	begins := func(with string) func([]byte) bool {
		return func(head []byte) bool { return bytes.HasPrefix(head, []byte(with)) }
	}
	defer func(list []sources.Source) { all = list }(all)
	all = []sources.Source{
		{Name: "folders", IsFolder: func(path string) bool { return path == "there" }},
		{Name: "ab", Is: begins("ab")},
		{Name: "a", Is: begins("a")},
	}
	name := func(s *sources.Source) string {
		if s == nil {
			return ""
		}
		return s.Name
	}
	for head, want := range map[string]string{"abc": "ab", "ac": "a", "c": "", "": ""} {
		if got := name(ofFile([]byte(head))); got != want {
			t.Errorf("%q is of %q, want %q", head, got, want)
		}
	}
	if got := name(ofFolder("there")) + name(ofFolder("elsewhere")); got != "folders" {
		t.Errorf("folders are of %q", got)
	}
	if _, s := kindOf("a"); name(s) != "a" {
		t.Error("names are not found")
	}
	if kind, s := kindOf("b"); s != nil || kind != KindUnknown {
		t.Error("a name is found that there is not")
	}
	if got := FromNames(); !slices.Equal(got, []string{"a", "ab", "folders", perfettoName}) {
		t.Errorf("names %q", got)
	}
}
