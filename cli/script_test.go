package cli

import (
	"compress/gzip"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/recorder/convert/cache"
	"tracex/recorder/perfetto/ipctest"
)

func TestMain(m *testing.M) {
	if os.Getenv(projectVariable) == "" {
		project, err := filepath.Abs("..")
		if err != nil {
			panic(err)
		}
		os.Setenv(projectVariable, project) // for child processes
	}
	// With the race detector a program waits a second at its end, for races of goroutines that it
	// leaves behind, if nothing else is said. The tests start some 400 programs.
	if os.Getenv("GORACE") == "" {
		os.Setenv("GORACE", "atexit_sleep_ms=50") // for child processes
	}
	if os.Getenv(runVariable) != "" {
		main()
	}
	if path := os.Getenv(crashVariable); path != "" {
		crash(path)
	}
	if path := os.Getenv(lingerVariable); path != "" {
		linger(path)
	}
	commands := map[string]func(){"tracex": main}
	if commands[strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")] == nil {
		ipctest.NoService()
		formattest.DefaultSignals()
	}
	testscript.Main(m, commands)
}

// main is the command as in package main, with its files read from the project.
func main() { os.Exit(Main(os.DirFS(os.Getenv(projectVariable)))) }

// projectVariable is the environment variable with the project's directory.
const projectVariable = "TRACEX_TEST_PROJECT"

// runVariable is the environment variable that makes the test binary the command, for tests
// that start it themselves.
const runVariable = "TRACEX_TEST_RUN"

// TestScripts drives the real command: each script in testdata/script is a story with its own
// directory, see the comment at its head.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "testdata", "script"),
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			tmp := filepath.Join(env.WorkDir, "tmp")
			env.Setenv("TMPDIR", tmp)
			env.Setenv(projectVariable, os.Getenv(projectVariable))
			env.Setenv(cache.Variable, filepath.Join(env.WorkDir, "cache"))
			return os.Mkdir(tmp, 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"recorded": func(ts *testscript.TestScript, neg bool, args []string) {
				for _, name := range args {
					ts.Check(os.WriteFile(ts.MkAbs(name), formattest.Recorded(t, name), 0o644))
				}
			},
			"demo": func(ts *testscript.TestScript, _ bool, args []string) {
				b, err := os.ReadFile(filepath.Join("..", "testdata", "demo", args[0]))
				ts.Check(err)
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o644))
			},
			"captured":  captured,
			"crashed":   crashed,
			"recording": recordsOn,
			"timed": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) != 1 {
					ts.Fatalf("usage: timed FILE")
				}
				from := formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 300, Timed: true})
				for _, suffix := range []string{"", format.IndexSuffix, format.TimesSuffix} {
					b, err := os.ReadFile(from + suffix)
					ts.Check(err)
					ts.Check(os.WriteFile(ts.MkAbs(args[0]+suffix), b, 0o644))
				}
			},
			"versions": func(ts *testscript.TestScript, _ bool, args []string) { diffVersions(t, ts, args) },
			"moves":    func(ts *testscript.TestScript, _ bool, args []string) { movedVersions(t, ts, args) },
			"mixed":    mixed,
			"packed":   packed,
			"gotrace":  gotrace,
			"grown":    grown,
			"sample":   sample,
			"exits":    exits,
			"patch":    patch,
			"cut":      cut,
			"join":     join,
			"entries":  entries,
			"smaller":  smaller,
		},
	})
}

// join appends files to the first one: join a.notes more.
func join(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: join FILE MORE…")
	}
	all := ""
	for _, name := range args {
		all += ts.ReadFile(name)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(all), 0o644))
}

// captured writes Perfetto traces, by name: captured 01_basic.pftrace.
func captured(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		f, err := os.Open(filepath.Join("..", "recorder", "convert", "perfetto", "testdata", name+".gz"))
		ts.Check(err)
		z, err := gzip.NewReader(f)
		ts.Check(err)
		b, err := io.ReadAll(z)
		ts.Check(errors.Join(err, f.Close()))
		ts.Check(os.WriteFile(ts.MkAbs(name), b, 0o644))
	}
}

// mixed packs the data of one trace with the index of another: mixed OUT DATA INDEX.
func mixed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: mixed OUT DATA INDEX")
	}
	data, err := os.Open(ts.MkAbs(args[1]))
	ts.Check(err)
	defer data.Close()
	index, err := os.Open(ts.MkAbs(args[2]))
	ts.Check(err)
	defer index.Close()
	out, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(format.Pack(out, format.PackInput{Data: data, Index: index, Info: (&format.Info{}).Append(nil)}, 0, nil))
	ts.Check(out.Close())
}

// exits runs a program that must end with an exit code: exits 2 tracex info.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGUMENT...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	default:
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, expected %d", got, want)
	}
}

// patch overwrites bytes of a file: patch trace.bin 15 15 makes its version 21.
func patch(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: patch FILE OFFSET HEXBYTES")
	}
	b, err := hex.DecodeString(args[2])
	ts.Check(err)
	at, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_WRONLY, 0)
	ts.Check(err)
	_, err = f.WriteAt(b, at)
	ts.Check(errors.Join(err, f.Close()))
}

// cut shortens a file to a number of bytes: cut trace.bin 1000.
func cut(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: cut FILE SIZE")
	}
	size, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), size))
}

// entries checks the names in a directory, including hidden ones: entries tmp means that it is empty.
func entries(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: entries DIRECTORY NAME...")
	}
	found, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	var names []string
	for _, e := range found {
		names = append(names, e.Name())
	}
	if len(names) != len(args)-1 {
		ts.Fatalf("%s has %q, expected %q", args[0], names, args[1:])
	}
	for i, want := range args[1:] {
		if names[i] != want {
			ts.Fatalf("%s has %q, expected %q", args[0], names, args[1:])
		}
	}
}

// smaller checks that a file has fewer bytes than another.
func smaller(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: smaller FILE THAN")
	}
	var size [2]int64
	for i, name := range args {
		st, err := os.Stat(ts.MkAbs(name))
		ts.Check(err)
		size[i] = st.Size()
	}
	if size[0] >= size[1] {
		ts.Fatalf("%s has %d bytes, %s %d", args[0], size[0], args[1], size[1])
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
