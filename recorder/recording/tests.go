package recording

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/instrument/raw"
)

// IndexName is the file that lists the tests in the folder of their traces.
const IndexName = "index.md"

// indexHead begins the index, by which a folder of traces is known.
const indexHead = "# Traces of tests\n"

// isFolder reports whether a path is a folder of traces of tests.
func isFolder(path string) bool {
	b, err := os.ReadFile(filepath.Join(path, IndexName))
	return err == nil && strings.HasPrefix(string(b), indexHead)
}

// option returns what the program is asked to keep, see raw.OptionsVariable.
func (k *Keep) option() string {
	switch {
	case k.All:
		return "all"
	case k.Slow > 0:
		return strconv.FormatInt(k.Slow.Nanoseconds(), 10)
	}
	return "failed"
}

// checkFolder checks, before the program runs, that the folder of traces can be made.
func (m *maker) checkFolder() error {
	if err := m.checkRecording(); err != nil {
		return err
	}
	for _, path := range []string{m.Output, asideFolder(m.Output)} {
		if _, err := os.Lstat(path); err == nil && !isFolder(path) {
			return foreignFolder(m.Output, path)
		}
	}
	return nil
}

func foreignFolder(output, path string) error {
	return &TakenError{ByFolder, output, errors.New(path + " already exists, and is no folder of traces of tests")}
}

// asideFolder returns where a folder of traces goes when another one takes its place.
func asideFolder(path string) string { return path + ".old" }

// putFolderAside makes place for a folder of traces, once in a recording, also if that is completed by another process.
func (m *maker) putFolderAside() error {
	claimed := filepath.Join(m.dir.Path(), claimedName)
	if exists(claimed) {
		return nil
	}
	if exists(m.Output) {
		to := asideFolder(m.Output)
		for _, path := range []string{m.Output, to} { // they may have come since the recording began
			if _, err := os.Lstat(path); err == nil && !isFolder(path) {
				return foreignFolder(m.Output, path)
			}
		}
		if err := os.RemoveAll(to); err != nil {
			return err
		}
		if err := os.Rename(m.Output, to); err != nil {
			return err
		}
		m.dir.Aside = to
	}
	return os.WriteFile(claimed, nil, 0o600)
}

// errKeep is why packets are in no trace.
var errKeep = errors.New("--keep makes traces of tests from their calls alone")

// testTraces makes the traces of the tests that are to be kept from raw files, while programs run. One goroutine at a time
// may use it.
type testTraces struct {
	maker
	seen   map[string]bool
	failed map[string]int // how often a test has failed in the traces looked at, by its package and name
	made   []Trace
	all    Trace
	size   int64 // of the traces
	unkept int64 // recordings for which there was no room
}

func newTestTraces(m *maker) *testTraces {
	return &testTraces{maker: *m, seen: make(map[string]bool), failed: make(map[string]int), all: Trace{Raws: new(instrumented.Summary)}}
}

// look makes traces of the raw files of processes that have ended, and whose package has, or of all. If these wait for a
// package that takes long, and have much, they are not waited for.
func (k *testTraces) look(ctx context.Context, all bool) error {
	dead := make(map[string]bool)
	for _, path := range RawFiles(k.dir.Path()) {
		if pid := pidOf(path); !dead[pid] && (all || !aliveText(pid)) {
			dead[pid] = true
		}
	}
	var files []string
	size := int64(0)
	for _, path := range RawFiles(k.dir.Path()) { // once more: a process may have begun another file before it ended
		if st, err := os.Stat(path); err == nil && dead[pidOf(path)] && !k.seen[path] {
			files = append(files, path)
			size += st.Size()
		}
	}
	const most = 512 << 20
	processes := testProcesses(files)
	for i, p := range processes {
		if !all && size < most && p.tests != "" && k.Keep.Said != nil && !k.Keep.Said.Ended(p.tests) && !k.Keep.Said.Ended(strings.TrimSuffix(p.tests, "_test")) {
			continue
		}
		k.seen[p.file] = true
		if err := k.convert(ctx, p); err != nil {
			return err
		}
		if !k.KeepRaws && !slices.ContainsFunc(processes[i+1:], func(o testProcess) bool { return o.pid == p.pid }) {
			// The others of the process may have been needed for its table of functions.
			for _, path := range RawFiles(k.dir.Path()) {
				if pidOf(path) == strconv.FormatUint(p.pid, 10) {
					_ = os.Remove(path) // the directory goes anyway
				}
			}
		}
	}
	return nil
}

// pidOf returns the process of a raw file.
func pidOf(path string) string {
	pid, _, _ := strings.Cut(filepath.Base(path), "-")
	return pid
}

// convert makes the trace of a raw file, and keeps it if it is to be kept and there is room.
func (k *testTraces) convert(ctx context.Context, p testProcess) error {
	draft := growingFiles{path: filepath.Join(k.dir.Path(), "test.bin"), replace: true}
	c, err := instrumented.New(draft.writers(), instrumented.Options{Version: k.Version, NotEmpty: true})
	if err != nil {
		return err
	}
	c.Add(p.file)
	var one Trace
	one.Raws, err = c.Finish(ctx)
	if err = errors.Join(err, draft.end()); err != nil {
		return draft.writeError(err)
	}
	for i := range one.Raws.Processes {
		of := &one.Raws.Processes[i]
		one.Tests = append(one.Tests, k.kept(of.Tests, p.last)...)
		if of.Damaged > 0 && len(one.Tests) == 0 {
			k.all.Raws.Processes = append(k.all.Raws.Processes, *of)
		}
	}
	size := int64(0)
	for _, suffix := range tracefile.Suffixes {
		if st, err := os.Stat(draft.path + suffix); err == nil {
			size += st.Size()
		}
	}
	switch limit := cmp.Or(k.Calls.Limit, defaultKept); {
	case len(one.Tests) == 0 || one.Raws.Events() == 0:
	case k.size+size > limit:
		k.unkept++
	default:
		k.size += size
		if err := k.place(draft.path, &one); err != nil {
			return err
		}
		k.all.Raws.Add(one.Raws)
		k.made = append(k.made, one)
	}
	for _, suffix := range tracefile.Suffixes {
		_ = os.Remove(draft.path + suffix) // the directory goes anyway
	}
	return nil
}

// end makes the traces that are left. It returns all, and what their files have.
func (k *testTraces) end(ctx context.Context, spool string) (made []Trace, all Trace, err error) {
	if spool != "" {
		k.all.Lost = errKeep
	}
	err = k.putFolderAside()
	if err == nil {
		err = k.look(ctx, true)
	}
	if k.unkept += unkept(k.dir.Path()); err == nil && k.unkept > 0 {
		k.Listener.Unkept(k.unkept)
	}
	return k.made, k.all, err
}

// place moves the files of a trace into the folder, names them after its first test, and adds it to the index.
func (k *testTraces) place(draft string, one *Trace) error {
	if err := k.putFolderAside(); err != nil {
		return err
	}
	if err := os.MkdirAll(k.Output, 0o777); err != nil {
		return err
	}
	top, _, _ := strings.Cut(one.Tests[0].Name, "/")
	stem := filepath.Join(k.Output, plainName(path.Base(one.Tests[0].Package))+"."+plainName(top))
	one.Path = stem + ".bin"
	for n := 2; exists(one.Path); n++ {
		one.Path = stem + "-" + strconv.Itoa(n) + ".bin"
	}
	for _, suffix := range tracefile.Suffixes {
		if err := os.Rename(draft+suffix, one.Path+suffix); err != nil && !(suffix == format.TimesSuffix && errors.Is(err, fs.ErrNotExist)) {
			return err
		}
	}
	return k.list(one)
}

// list adds a trace to the index, Markdown.
func (k *testTraces) list(one *Trace) error {
	index := filepath.Join(k.Output, IndexName)
	var b strings.Builder
	if !exists(index) {
		b.WriteString(indexHead + "\n| test | package | | took | trace | |\n| --- | --- | --- | --- | --- | --- |\n")
	}
	cell := strings.NewReplacer("|", "\\|", "\n", " ")
	for i := range one.Tests {
		t := &one.Tests[i]
		why, took := "", ""
		if said := k.said(t); t.Verdict == raw.TestFailed || t.Verdict == raw.TestBegan {
			if n := k.failed[t.Package+" "+t.Name] - 1; n >= 0 && n < len(said) {
				why = said[n]
			}
		}
		if t.Took > 0 {
			took = time.Duration(t.Took).Round(time.Millisecond).String()
		}
		name := filepath.Base(one.Path)
		fmt.Fprintf(&b, "| %s | %s | %s | %s | [%s](%s) | %s |\n", cell.Replace(t.Name), t.Package, Verdicts[t.Verdict], took, name, name, cell.Replace(why))
	}
	f, err := os.OpenFile(index, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(b.String())
	return errors.Join(err, f.Close())
}

// Verdicts are the words for the verdicts of tests.
var Verdicts = map[uint32]string{raw.TestBegan: "did not end", raw.TestPassed: "passed", raw.TestFailed: "failed", raw.TestSkipped: "skipped"}

// said returns what go test says of the failures of a test. A test of an external package, such as shop_test, is one of shop.
func (k *testTraces) said(t *instrumented.Test) (why []string) {
	if k.Keep.Said == nil {
		return nil
	}
	if why = k.Keep.Said.Failed(t.Package, t.Name); why == nil {
		why = k.Keep.Said.Failed(strings.TrimSuffix(t.Package, "_test"), t.Name)
	}
	return why
}

// kept returns those of the tests in a file that are to be kept, a test of the top level before those below it. last says
// that the process has no later file: a test that has not ended there never did.
func (k *testTraces) kept(tests []instrumented.Test, last bool) (list []instrumented.Test) {
	for i := range tests {
		t := &tests[i]
		if strings.Contains(t.Name, "/") {
			continue
		}
		below := slices.DeleteFunc(slices.Clone(tests), func(s instrumented.Test) bool { return !strings.HasPrefix(s.Name, t.Name+"/") })
		failed := t.Verdict == raw.TestFailed || len(below) > 0
		switch said := k.said(t); {
		case failed:
		case t.Verdict == raw.TestBegan: // one of a program that a test starts may end like this
			failed = last && (k.Keep.Said == nil || !k.Keep.Said.Passed(t.Package))
		case last && len(said) > k.failed[t.Package+" "+t.Name]: // after its last recorded call
			t.Verdict, failed = raw.TestFailed, true
		}
		if failed {
			for _, one := range append([]instrumented.Test{*t}, below...) {
				k.failed[one.Package+" "+one.Name]++
			}
		}
		ended := t.Verdict != raw.TestBegan
		if failed || ended && (k.Keep.All || k.Keep.Slow > 0 && t.Took >= k.Keep.Slow.Nanoseconds()) {
			list = append(append(list, *t), below...)
		}
	}
	// The trace is named after the first: one that failed, if some did.
	slices.SortStableFunc(list, func(a, b instrumented.Test) int { return cmp.Compare(passed(a), passed(b)) })
	return list
}

func passed(t instrumented.Test) int {
	if t.Verdict == raw.TestPassed || t.Verdict == raw.TestSkipped {
		return 1
	}
	return 0
}

// unkept returns how many tests had no room, as a recording counted them.
func unkept(folder string) int64 {
	b, err := os.ReadFile(filepath.Join(folder, raw.KeptName))
	if err != nil || len(b) < raw.AtUnkept+8 {
		return 0
	}
	return int64(binary.LittleEndian.Uint64(b[raw.AtUnkept:]))
}

// testProcess is a raw file of tests.
type testProcess struct {
	file  string
	pid   uint64
	wall  uint64
	last  bool   // of its process
	tests string // the package whose tests the file has; "" if it has none
}

// testProcesses returns raw files in the order in which they were begun.
func testProcesses(files []string) (all []testProcess) {
	for _, path := range files {
		p := testProcess{file: path}
		if f, err := raw.Open(path); err == nil {
			p.pid, p.wall = f.Head.PID, f.Head.Wall
			if t := f.FirstTest(); t != nil {
				p.tests = t.Package
			}
			f.Close()
		}
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b testProcess) int { return cmp.Compare(a.wall, b.wall) })
	seen := make(map[uint64]bool)
	for i := range slices.Backward(all) {
		all[i].last = !seen[all[i].pid]
		seen[all[i].pid] = true
	}
	return all
}
