//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// TestGoPage follows the first lines of docs/go.md, and of README.md, in a new module: they make
// a trace of its test's calls. The tools that instrument are made anew, too.
func TestGoPage(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("programs are recorded on linux/amd64 and linux/arm64 only")
	}
	t.Parallel()
	page, readme := readFile(t, filepath.Join("..", "docs", "go.md")), readFile(t, filepath.Join("..", "README.md"))
	first := codeBlocks(string(page))["sh"][0]
	if codeBlocks(string(readme))["sh"][0] != first {
		t.Errorf("README.md does not begin with %s", first)
	}
	record, open, ok := strings.Cut(first, "\n")
	record, _, _ = strings.Cut(record, "#")
	if !ok || strings.TrimSpace(open) != "tracex open trace.bin" {
		t.Fatalf("the page does not begin with two lines: %q", first)
	}
	user := newNewcomer(t)
	writeFile(t, filepath.Join(user.dir, "go.mod"), "module example.com/shop\n\ngo 1.24\n")
	writeFile(t, filepath.Join(user.dir, "shop.go"), `package shop

import "errors"

type Shop struct{ left int }

func (s *Shop) Sell(item string, n int) (int, error) {
	if n > s.left {
		return s.left, errors.New("nothing left")
	}
	s.left -= n
	return s.left, nil
}
`)
	writeFile(t, filepath.Join(user.dir, "shop_test.go"), `package shop

import "testing"

func TestSell(t *testing.T) {
	s := &Shop{3}
	for _, n := range []int{1, 2, 3} {
		s.Sell("apple", n)
	}
}
`)
	cmd, stderr, _ := command(t, strings.Fields(record)[1:]...)
	cmd.Dir = user.dir
	cmd.Env = append(cmd.Env, user.env...)
	cmd.Env = append(cmd.Env, "XDG_CACHE_HOME="+filepath.Join(user.dir, "cache"))
	cmd.Stdout = nil
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), "ok  \texample.com/shop") {
		t.Fatalf("%v\n%s%s", err, out, stderr)
	}
	if !strings.Contains(stderr.String(), "recorded 4 calls of 2 functions") {
		t.Errorf("it said %s", stderr)
	}
	cmd, _, _ = command(t, "print", filepath.Join(user.dir, "trace.bin"))
	printed, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range []string{`Sell\("apple", 1\): \(2, nil\)`, `Sell\("apple", 2\): \(0, nil\)`, `Sell\("apple", 3\): \(0, errorString@\d+\("nothing left"\)\)`} {
		if !regexp.MustCompile(call).Match(printed) {
			t.Errorf("no %s in\n%s", call, printed)
		}
	}
	if left, err := os.ReadDir(user.dir); err != nil || len(left) != 9 { // with the link, home, cache and three files of the trace
		t.Errorf("%v, %v is left", left, err)
	}
}
