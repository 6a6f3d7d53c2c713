//go:build linux

package recordtest_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// familyProgram starts itself: each process prints its id, its parent's, what it is, and of each process that it starts the id, by which
// function. The first starts a child, which starts two in parallel and one through a shell; one of the two is killed, and the one below the
// shell becomes another program by exec, which starts the last.
const familyProgram = `package main

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

func main() {
	what := "first"
	if len(os.Args) > 1 {
		what = os.Args[1]
	}
	fmt.Println("is", what, os.Getpid(), os.Getppid())
	switch what {
	case "first":
		whole("child")
	case "child":
		both()
		shell()
		fails()
	case "killed":
		wait()
	case "below":
		become()
	case "became":
		whole("last")
	}
}

func command(what string) *exec.Cmd {
	c := exec.Command(os.Args[0], what)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	return c
}

func whole(what string) {
	c := command(what)
	if err := c.Run(); err != nil {
		panic(err)
	}
	started(c, "whole")
}

func started(c *exec.Cmd, by string) { fmt.Println("started", c.Process.Pid, by) }

func both() {
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { defer wg.Done(); whole("parallel") }()
	go func() { defer wg.Done(); kill() }()
	wg.Wait()
}

func kill() {
	c := command("killed")
	c.Stdout = nil
	out, err := c.StdoutPipe()
	if err != nil {
		panic(err)
	}
	if err := c.Start(); err != nil {
		panic(err)
	}
	started(c, "kill")
	text := make([]byte, 100)
	n, err := out.Read(text) // it runs
	if err != nil {
		panic(err)
	}
	os.Stdout.Write(text[:n])
	c.Process.Kill()
	c.Wait()
}

func wait() { select {} }

func shell() {
	c := exec.Command("sh", "-c", "\"$0\" below; true", os.Args[0])
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		panic(err)
	}
	started(c, "shell")
}

func fails() {
	if exec.Command("/no/such/program").Run() == nil {
		panic("it ran")
	}
}

func become() {
	panic(syscall.Exec(os.Args[0], []string{os.Args[0], "became"}, os.Environ()))
}
`

// member is what a process of familyProgram prints of itself.
type member struct {
	what      string
	pid, ppid int64
}

// family reads what the processes print, and which function started a process, by its id. Lines of others are left out.
func family(t *testing.T, said string) (all map[string]member, by map[int64]string) {
	t.Helper()
	all, by = make(map[string]member), make(map[int64]string)
	for line := range strings.Lines(said) {
		var m member
		var function string
		var pid int64
		if n, _ := fmt.Sscanf(line, "is %s %d %d", &m.what, &m.pid, &m.ppid); n == 3 {
			all[m.what] = m
		} else if n, _ := fmt.Sscanf(line, "started %d %s", &pid, &function); n == 2 {
			by[pid] = function
		}
	}
	return all, by
}

// processInfo is a process as tracex info tells it.
type processInfo struct {
	Process, PID, Parent int64
	Via                  int64 `json:"via_pid"`
	ParentPID            int64 `json:"parent_pid"`
	Became, Unsure       bool
	Name, Program        string
	ParentTrace          string `json:"parent_trace"`
	ParentProgram        string `json:"parent_program"`
	Threads, Calls       int64
	Start, StartedAfter  *int64
	StartedBy            *struct {
		Thread, Event int64
		Function      string
	} `json:"started_by"`
}

// infoOf returns the processes of a trace, and the names of its threads.
func infoOf(t *testing.T, trace string) (list []processInfo, threads map[int64]string) {
	t.Helper()
	var info struct {
		Processes []processInfo
		Threads   []struct {
			Number int64
			Name   string
		}
	}
	if err := json.Unmarshal([]byte(must(t, runTracex(t, "", nil, "info", "--json", trace)).stdout), &info); err != nil {
		t.Fatal(err)
	}
	threads = make(map[int64]string)
	for _, x := range info.Threads {
		threads[x.Number] = x.Name
	}
	return info.Processes, threads
}

// familyParents are the nearest recorded parents.
var familyParents = map[string]string{"child": "first", "parallel": "child", "killed": "child", "below": "child", "became": "below", "last": "became"}

// TestFamily: each process has the parent that it says, a shell between them left out; and with --waits the call that started it.
func TestFamily(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"go.mod": "module example.com/kin\n\ngo 1.25\n", "main.go": familyProgram})
	for _, flags := range [][]string{nil, {"--waits"}, {"--waits", "--no-times"}} {
		trace := filepath.Join(t.TempDir(), "trace.bin")
		r := must(t, runTracex(t, dir, nil, append(append([]string{"record", "-o", trace}, flags...), "--", "go", "run", ".")...))
		all, by := family(t, r.stdout)
		if len(all) != 7 {
			t.Fatalf("%v\n%s\n%s", all, r.stdout, r.stderr)
		}
		list, threads := infoOf(t, trace)
		if len(list) != 7 {
			t.Fatalf("%v: %+v", flags, list)
		}
		checkFamily(t, trace, all, by, list, threads, flags)
	}
}

// checkFamily compares what a trace tells with what the processes printed.
func checkFamily(t *testing.T, trace string, all map[string]member, by map[int64]string, list []processInfo, threads map[int64]string, flags []string) {
	t.Helper()
	of := func(what string) *processInfo {
		if what == "" {
			return &processInfo{}
		}
		i := slices.IndexFunc(list, func(p processInfo) bool {
			// Two programs of one process: the later one became it.
			return p.PID == all[what].pid && p.Became == (what == "became")
		})
		if i < 0 {
			t.Fatalf("%v: no %s %v in %+v", flags, what, all[what], list)
		}
		return &list[i]
	}
	for what, m := range all {
		p, parent := of(what), of(familyParents[what])
		if p.Parent != parent.Process || p.ParentPID != m.ppid || p.Threads == 0 || p.Calls == 0 {
			t.Errorf("%v: %s %+v, parent %+v, it is %+v", flags, what, p, parent, m)
		}
		if want := map[bool]int64{true: m.ppid}[what == "below"]; p.Via != want {
			t.Errorf("%v: %s descends by %d, not %d", flags, what, p.Via, want)
		}
		if p.Unsure && (what != "last" || p.StartedBy != nil) {
			t.Errorf("%v: whether %s started %s is said not to be sure", flags, familyParents[what], what)
		}
		switch {
		case len(flags) == 0 || what == "first" || what == "became":
			if p.StartedBy != nil {
				t.Errorf("%v: a call started %s: %+v", flags, what, p.StartedBy)
			}
		case p.StartedBy == nil:
			t.Errorf("%v: no call started %s", flags, what)
		default:
			checkStart(t, trace, what, p, parent, by, threads)
		}
	}
}

// checkStart checks that the row which started a process is in the function that says so, in a thread of the parent.
func checkStart(t *testing.T, trace, what string, p, parent *processInfo, by map[int64]string, threads map[int64]string) {
	t.Helper()
	pid := cmp.Or(p.Via, p.PID)
	if name := threads[p.StartedBy.Thread]; !strings.HasPrefix(name, parent.Name+" › ") {
		t.Errorf("%s was started in thread %q of %q", what, name, parent.Name)
	}
	event := must(t, runTracex(t, "", nil, "print", "--event", fmt.Sprint(p.StartedBy.Event), trace)).stdout
	function := map[string]string{"kill": "os/exec.(*Cmd).Start"}[by[pid]]
	if function = cmp.Or(function, "os/exec.(*Cmd).Run"); p.StartedBy.Function != function || !strings.Contains(event, fmt.Sprintf("wait.start(%s): process %d", function, pid)) {
		t.Errorf("%s: %+v by %s, %s", what, p.StartedBy, by[pid], event)
	}
	text := must(t, runTracex(t, "", nil, "print", trace)).stdout
	row := fmt.Sprintf("wait.start(%s): process %d\n", function, pid)
	before, _, once := strings.Cut(text, row)
	if !once || strings.Count(text, row) != 1 {
		t.Fatalf("%s: %q is not once in\n%s", what, row, text)
	}
	calls := strings.Split(strings.TrimRight(before, " "), "\n")
	depth := len(before) - len(strings.TrimRight(before, " "))
	for _, line := range slices.Backward(calls[:len(calls)-1]) {
		if rest := strings.TrimLeft(line, " "); len(line)-len(rest) < depth {
			if !strings.HasPrefix(rest, by[pid]+"(") {
				t.Errorf("%s: the row is in %q, not in %s", what, line, by[pid])
			}
			return
		}
	}
	t.Errorf("%s: the row is in no call", what)
}

// TestFamilySplit: a trace of each process says where its parent is.
func TestFamilySplit(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"go.mod": "module example.com/kin\n\ngo 1.25\n", "main.go": familyProgram})
	out := t.TempDir()
	r := must(t, runTracex(t, dir, nil, "record", "--split", "-o", filepath.Join(out, "trace.bin"), "--", "go", "run", "."))
	all, _ := family(t, r.stdout)
	for what, m := range all {
		// The file of the second program of a process has another name.
		trace := fmt.Sprintf("trace-kin-%d.bin", m.pid)
		if what == "became" {
			trace = fmt.Sprintf("trace-kin-%d-2.bin", m.pid)
		}
		list, _ := infoOf(t, filepath.Join(out, trace))
		parent, name := all[familyParents[what]], ""
		file := fmt.Sprintf("trace-kin-%d.bin", parent.pid)
		switch what {
		case "first":
			file = ""
		case "last":
			file = fmt.Sprintf("trace-kin-%d-2.bin", parent.pid)
		}
		if file != "" {
			name = fmt.Sprintf("kin %d", parent.pid)
			if _, err := os.Stat(filepath.Join(out, file)); err != nil {
				t.Fatal(err)
			}
		}
		if len(list) != 1 || list[0].PID != m.pid || list[0].ParentTrace != file || list[0].ParentProgram != name {
			t.Errorf("%s: %+v, expected %q of %q", what, list, file, name)
		}
	}
}

// TestFamilyTested: a test that runs a program of its module is its parent.
func TestFamilyTested(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"go.mod": "module example.com/kin\n\ngo 1.25\n", "main.go": familyProgram,
		"main_test.go": `package main

import (
	"os"
	"os/exec"
	"testing"
)

func TestBuilt(t *testing.T) {
	program := t.TempDir() + "/built"
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	out, err := exec.Command(program, "parallel").CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	os.Stdout.Write(out)
	println("is test", os.Getpid(), os.Getppid())
}
`})
	trace := filepath.Join(t.TempDir(), "trace.bin")
	r := must(t, runTracex(t, dir, nil, "record", "--go", "--waits", "-o", trace, "--", "go", "test", "-v", "."))
	all, _ := family(t, r.stdout+r.stderr)
	list, threads := infoOf(t, trace)
	if len(list) != 2 || list[0].PID != all["test"].pid || list[1].PID != all["parallel"].pid || list[1].Parent != list[0].Process || list[1].StartedBy == nil {
		t.Fatalf("%+v, %v\n%s", list, all, r.stdout)
	}
	if name := threads[list[1].StartedBy.Thread]; !strings.Contains(name, "TestBuilt") {
		t.Errorf("%q started it", name)
	}
}
