//go:build linux

package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tracex/format/formattest"
)

// TestOverviewSample: the page about answers has what the command prints for the trace of the demo.
func TestOverviewSample(t *testing.T) {
	text, stderr, exit := runCommand(t, "overview", formattest.Demo(t))
	if exit != 0 || stderr != "" {
		t.Fatal(exit, stderr)
	}
	page, err := os.ReadFile("../docs/answers.md")
	if err != nil {
		t.Fatal(err)
	}
	_, sample, _ := strings.Cut(string(page), "$ tracex overview shop.bin\n")
	sample, _, _ = strings.Cut(sample, "```")
	at := strings.Index(text, "shop.bin")
	formattest.SameText(t, []byte(text[at:]), []byte(sample))
}

// objects reads the JSON objects of a command; nil if it prints none.
func objects(t *testing.T, args ...string) (list []map[string]any, exit int) {
	t.Helper()
	text, stderr, exit := runCommand(t, args...)
	if exit != 0 && exit != exitDamaged {
		t.Fatalf("%q: %d %s", args, exit, stderr)
	}
	for d := json.NewDecoder(strings.NewReader(text)); d.More(); {
		var one map[string]any
		if err := d.Decode(&one); err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		list = append(list, one)
	}
	return list, exit
}

// TestOverviewAgrees: each number of the overview is that of info, top, calls and throws, and the exit code too.
func TestOverviewAgrees(t *testing.T) {
	paths := map[string]string{"demo": formattest.Demo(t)}
	for _, name := range []string{"gson.stream.bin", "crash.v27.stream.bin"} {
		paths[name] = formattest.Unpack(t, name)
	}
	for _, spec := range []formattest.Spec{
		{Shape: formattest.Threads, N: 300, Seed: 1, Timed: true, Crash: formattest.CrashPartial},
		{Shape: formattest.Goroutines, N: 100_000, Seed: 2, Timed: true},
		{Shape: formattest.Random, N: 2000, Seed: 3},
	} {
		if formattest.Race && spec.N > 10_000 {
			continue
		}
		paths[spec.Name()] = formattest.File(t, spec)
	}
	for name, path := range paths {
		t.Run(name, func(t *testing.T) {
			list, exit := objects(t, "overview", "--json", path)
			o := list[0]
			infos, infoExit := objects(t, "info", "--json", path)
			info := infos[0]
			if exit != infoExit {
				t.Errorf("exit code %d, not %d", exit, infoExit)
			}
			for _, key := range []string{"recording_begun", "recording_ns", "times_problem", "gaps", "problem", "unfinished", "calls", "events", "data_bytes"} {
				if !reflect.DeepEqual(o[key], info[key]) {
					t.Errorf("%s is %v, not %v", key, o[key], info[key])
				}
			}
			if n := len(info["threads"].([]any)); o["thread_count"].(float64) != float64(n) {
				t.Errorf("%v threads, not %d", o["thread_count"], n)
			}
			same := func(part string, want []map[string]any, keys ...string) {
				t.Helper()
				rows := o[part].([]any)
				if len(rows) > len(want) || len(rows) == 0 && len(want) > 0 {
					t.Fatalf("%d rows of %s, %d of the answer", len(rows), part, len(want))
				}
				for i, row := range rows {
					for _, key := range keys {
						if got := row.(map[string]any)[key]; !reflect.DeepEqual(got, want[i][key]) {
							t.Errorf("%s of row %d of %s is %v, not %v", key, i, part, got, want[i][key])
						}
					}
				}
			}
			_, timed := info["recording_ns"]
			sort, roots := "calls", []string{"calls", "--json", path, "not in(kind=call)", "--sort", "events"}
			if timed {
				sort, roots = "self", roots[:4]
			}
			top, _ := objects(t, "top", "--json", "--sort", sort, "-n", "3", path)
			same("top", top, "name", "calls", "self_share", "self")
			calls, _ := objects(t, roots...)
			same("slowest", calls, "event", "handle", "thread", "duration", "events", "duration_bound")
			throws, _ := objects(t, "throws", "--json", "-n", "0", path)
			var left []map[string]any
			for _, row := range throws {
				if row["outcome"] == "left" || row["outcome"] == "unknown" {
					left = append(left, row)
				}
			}
			same("uncaught", left, "count", "outcome", "event", "thread")
		})
	}
}

// TestOverviewRefuses: what is no trace has no overview.
func TestOverviewRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.bin")
	if err := os.WriteFile(path, []byte("no trace"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, stderr, exit := runCommand(t, "overview", path); exit != exitNotTrace || text != "" || stderr == "" {
		t.Error(exit, text, stderr)
	}
}
