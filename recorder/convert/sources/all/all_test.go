package all

import (
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
			for i := range Sources {
				if s := &Sources[i]; s.Is != nil && s.Is([]byte(head)) {
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
	for i := range Sources {
		s := &Sources[i]
		if s.Name == "" || s.What == "" || s.Convert == nil || s.Is == nil && s.IsFolder == nil {
			t.Errorf("%s: something is missing: %+v", s.Name, s)
		}
		if sources.Named(Sources[:i], s.Name) != nil {
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
		for i := range Sources {
			if is := Sources[i].Is; is != nil {
				is(head)
			}
		}
	})
}
