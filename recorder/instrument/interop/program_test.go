package interop_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// needed skips a test unless programs of others may be fetched.
func needed(t testing.TB) {
	t.Helper()
	if os.Getenv("TRACEX_INTEROP") == "" {
		t.Skip("fetches and tests programs of others; set TRACEX_INTEROP=1 to run it")
	}
}

// tracex is the program, which is built once.
var tracex = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "tracex-interop-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "tracex")
	out, err := exec.Command("go", "build", "-o", path, "tracex").CombinedOutput()
	if err != nil {
		err = errors.New(string(out))
	}
	return path, err
})

func TestMain(m *testing.M) {
	if list := os.Getenv(timesVariable); list != "" && len(os.Args) > 1 {
		os.Exit(timed(list, os.Args[1:]))
	}
	code := m.Run()
	if os.Getenv("TRACEX_INTEROP") != "" {
		if path, err := tracex(); err == nil {
			os.RemoveAll(filepath.Dir(path))
		}
	}
	os.Exit(code)
}

// program returns tracex.
func program(t testing.TB) string {
	t.Helper()
	path, err := tracex()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// fetch returns a copy of a module, as MODULE@VERSION names it.
func fetch(t testing.TB, module string) string {
	t.Helper()
	dir, err := fetched(t, module)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// fetched returns a copy of a module, if it can be had.
func fetched(t testing.TB, module string) (dir string, err error) {
	t.Helper()
	c := exec.Command("go", "mod", "download", "-json", module)
	c.Dir = t.TempDir() // in no module
	out, err := c.Output()
	var m struct{ Dir, Error string }
	if fault := json.Unmarshal(out, &m); err != nil || fault != nil || m.Error != "" {
		return "", fmt.Errorf("%s: %v %v %s", module, err, fault, m.Error)
	}
	dir = filepath.Join(t.TempDir(), "module")
	if err := os.CopyFS(dir, os.DirFS(m.Dir)); err != nil {
		return "", err
	}
	// Modules are read only in the cache.
	return dir, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(path, 0o777)
		}
		return os.Chmod(path, 0o666)
	})
}

// run runs a command in a directory and returns what it wrote. A command that fails is no
// failure of the test: some programs' tests fail on some machines.
func run(t testing.TB, dir string, command ...string) (stdout, stderr []byte) {
	t.Helper()
	c := exec.Command(command[0], command[1:]...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	var out, said bytes.Buffer
	c.Stdout, c.Stderr = &out, &said
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.Bytes(), said.Bytes()
}

// addresses are parts of tests' names that differ from run to run.
var addresses = regexp.MustCompile("0x[0-9a-f]+")

// outcomes returns how each test ended, from the output of go test -json.
func outcomes(t *testing.T, out []byte) map[string]string {
	t.Helper()
	results := map[string]string{}
	for line := range bytes.Lines(out) {
		var e struct{ Action, Package, Test string }
		if json.Unmarshal(line, &e) != nil {
			continue // what a test wrote
		}
		switch e.Action {
		case "pass", "fail", "skip":
			if e.Test == "" && e.Action != "fail" {
				continue // a package without tests is skipped, or passes if it is covered
			}
			results[addresses.ReplaceAllString(strings.TrimSuffix(e.Package+" "+e.Test, " "), "0x")] = e.Action
		}
	}
	if len(results) == 0 {
		t.Fatalf("no test ran: %s", out)
	}
	return results
}
