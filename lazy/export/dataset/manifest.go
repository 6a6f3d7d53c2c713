package dataset

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tracex/lazy/export"
)

// SchemaVersion is that of the tables, of the directories and of the manifest. It grows when a column is removed or
// changes its meaning.
const SchemaVersion = 1

// Manifest describes a trace of a dataset: the file _manifest.json beside its files.
type Manifest struct {
	Schema int    `json:"schema"`
	Writer string `json:"writer"` // tracex 0.1.0
	Trace  string `json:"trace"`  // the identity, in hexadecimal digits
	Title  string `json:"title"`
	Format int    `json:"format_version"`
	Bytes  int64  `json:"data_bytes"` // of the trace's data
	// BegunNS is when the recording began, in nanoseconds since 1970, and DurationNS how long it took; nil if not known.
	BegunNS    *int64 `json:"begun_ns,omitempty"`
	DurationNS *int64 `json:"duration_ns,omitempty"`
	Threads    int    `json:"threads"` // that have rows
	Calls      int64  `json:"calls"`
	Points     int64  `json:"points"`
	// Selection is what the export was limited to, in words. It is empty if it was not.
	Selection []string          `json:"selection,omitempty"`
	Labels    map[string]string `json:"labels,omitempty"`
	// Problem is why a part of the trace could not be read.
	Problem string `json:"problem,omitempty"`
	Files   []File `json:"files"`
}

type File struct {
	Path  string `json:"path"` // from the manifest, with slashes
	Table string `json:"table"`
	Rows  int64  `json:"rows"`
	Bytes int64  `json:"bytes"`
}

// newManifest returns what is known about an export before it is made.
func newManifest(j *export.Job, o *Options) *Manifest {
	data, _ := j.R.Size()
	id := j.ID()
	m := &Manifest{
		Schema: SchemaVersion, Writer: o.creator(), Trace: hex.EncodeToString(id[:]), Title: j.Title, Format: int(j.Version), Bytes: data,
		Selection: selection(j), Labels: labels(j, o),
	}
	if begin, length, ok := j.R.Recording(); ok {
		at, took := begin.UnixNano(), int64(length)
		m.BegunNS, m.DurationNS = &at, &took
	} else if n := j.R.Info(); n != nil && n.Start > 0 && n.Start < math.MaxInt64/int64(time.Millisecond) {
		at := n.Start * int64(time.Millisecond)
		m.BegunNS = &at
	}
	return m
}

func selection(j *export.Job) (list []string) {
	s := &j.Scope
	add := func(ok bool, text string) {
		if ok {
			list = append(list, text)
		}
	}
	add(s.Raw, "raw")
	for _, r := range s.Ranges {
		text := fmt.Sprintf("thread %d", int64(r.Thread)+1)
		if r.From > 0 || r.To >= 0 {
			text += fmt.Sprintf(" from %d to %d", r.From, r.To)
		}
		add(true, text)
	}
	add(s.Timed, fmt.Sprintf("time from %d ns to %d ns", s.From, s.To))
	for _, step := range s.Steps() {
		add(true, step.String())
	}
	add(j.Depth > 0, fmt.Sprintf("depth %d", j.Depth))
	add(j.NoValues, "no values")
	add(j.Reads, "reads")
	return list
}

// infoLabels are the properties of a packed trace that become labels: others may be secret.
var infoLabels = [...]string{"version", "java.version", "java.vm.name", "os.name", "os.arch"}

// labels returns the labels of a trace: those of the options before those of its info.txt.
func labels(j *export.Job, o *Options) map[string]string {
	all := make(map[string]string)
	if n := j.R.Info(); n != nil {
		for _, p := range n.Properties {
			if slices.Contains(infoLabels[:], p.Key) || slices.Contains(o.Properties, p.Key) {
				all[p.Key] = p.Value
			}
		}
		if n.Class != "" {
			all["traced.class"] = n.Class
		}
		if n.Method != "" {
			all["traced.method"] = n.Method
		}
	}
	maps.Copy(all, o.Labels)
	return all
}

// readManifest reads the manifest of a trace; nil if there is none, or one that cannot be read.
func readManifest(dir string) *Manifest {
	b, err := os.ReadFile(filepath.Join(dir, manifestName))
	m := new(Manifest)
	if err != nil || json.Unmarshal(b, m) != nil {
		return nil
	}
	return m
}

func (m *Manifest) write(x *folder) error {
	b, err := json.MarshalIndent(m, "", "  ")
	if err == nil {
		err = os.WriteFile(filepath.Join(x.path, manifestName), append(b, '\n'), 0o666)
	}
	return x.problem(err)
}

// whole reports whether all files that the manifest names are there.
func (m *Manifest) whole(dir string) bool {
	for _, f := range m.Files {
		st, err := os.Stat(filepath.Join(dir, filepath.FromSlash(f.Path)))
		if err != nil || st.Size() != f.Bytes {
			return false
		}
	}
	return len(m.Files) > 0
}

// differs says how what was exported differs from what is to be exported, of the same trace.
func (m *Manifest) differs(now *Manifest) (list []string) {
	if m.Schema != now.Schema {
		list = append(list, fmt.Sprintf("schema %d, not %d", m.Schema, now.Schema))
	}
	say := func(what string, was, is string) {
		if was != is {
			list = append(list, fmt.Sprintf("%s %s, not %s", what, was, is))
		}
	}
	say("selection", quoted(m.Selection), quoted(now.Selection))
	say("labels", quotedMap(m.Labels), quotedMap(now.Labels))
	return list
}

func quoted(list []string) string {
	if len(list) == 0 {
		return "(none)"
	}
	return "(" + strings.Join(list, ", ") + ")"
}

func quotedMap(m map[string]string) string {
	var list []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		list = append(list, k+"="+m[k])
	}
	return quoted(list)
}
