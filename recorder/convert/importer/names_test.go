package importer

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestDataPath(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "run.data")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(folder)
	for path, want := range map[string]string{
		"x.json":                 "x.bin",
		"x.json.gz":              "x.bin",
		"x.json.zst":             "x.bin",
		"a/x.appmap.json":        "a/x.bin",
		"trace.12.xt":            "trace.12.bin",
		"trace.out":              "trace.bin",
		"uftrace.data":           "uftrace.bin",
		"uftrace.data/":          "uftrace.bin",
		"./x/uftrace.data/":      "x/uftrace.bin",
		".":                      filepath.Join(dir, "run.bin"),
		"plain":                  "plain.bin",
		".json":                  ".json.bin",
		"a/.gz":                  "a/.gz.bin",
		"x.json.json":            "x.json.bin",
		"profile.pb.gz":          "profile.pb.bin",
		"worker.pt.trace.json":   "worker.bin",
		"worker.pt.trace.json.z": "worker.pt.trace.json.z.bin",
	} {
		want = filepath.FromSlash(want)
		s := Input{Path: path, Kind: KindSource}
		if got := s.DataPath(); got != want && got != resolved(t, want) {
			t.Errorf("%s becomes %s; want %s", path, got, want)
		}
	}
	for path, want := range map[string]string{"x.pftrace.gz": "x.bin", "x.pb": "x.bin", "x.json": "x.json.bin"} {
		s := Input{Path: path, Kind: KindPerfetto}
		if got := s.DataPath(); got != want {
			t.Errorf("%s of Perfetto becomes %s; want %s", path, got, want)
		}
	}
}

// resolved is a path with the links of its directory resolved: the system's directory for temporary files
// may be one.
func resolved(t *testing.T, path string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return path
	}
	return filepath.Join(dir, filepath.Base(path))
}

func TestThreadPrefixes(t *testing.T) {
	for _, c := range []struct{ paths, want []string }{
		{[]string{"a.json", "b.json.gz"}, []string{"a", "b"}},
		{[]string{"x/trace.json", "y/trace.json", "z.json"}, []string{"x/trace", "y/trace", "z"}},
		{[]string{"1/x/t.json", "1/y/t.json", "2/x/t.json"}, []string{"1/x/t", "y/t", "2/x/t"}},
		{[]string{"t.json", "-"}, []string{"t", StdinName}},
	} {
		var ins []*Input
		for _, path := range c.paths {
			ins = append(ins, &Input{Path: filepath.FromSlash(path)})
		}
		var want []string
		for _, name := range c.want {
			want = append(want, filepath.FromSlash(name)+" › ")
		}
		if got := threadPrefixes(ins); !slices.Equal(got, want) {
			t.Errorf("%q have the prefixes %q, want %q", c.paths, got, want)
		}
	}
	// The same file of another suffix: there is nothing that tells them apart.
	if got := threadPrefixes([]*Input{{Path: "a.json"}, {Path: "a.xt"}}); got[0] == got[1] {
		t.Errorf("two files have the prefix %q", got[0])
	}
}
