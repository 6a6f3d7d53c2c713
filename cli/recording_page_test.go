//go:build unix

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// codeBlocks returns the blocks of a Markdown text by language, in order.
func codeBlocks(text string) map[string][]string {
	blocks := make(map[string][]string)
	for _, m := range regexp.MustCompile("(?s)```(\\w+)\n(.*?)```").FindAllStringSubmatch(text, -1) {
		blocks[m[1]] = append(blocks[m[1]], m[2])
	}
	return blocks
}

// snippetHead is the code that the snippets in docs/recording.md need around them.
const snippetHead = `package snippets

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync"

	"tracex/recorder"
	"tracex/recorder/httptrace"
	"tracex/recorder/slogtrace"
)
`

// TestRecordingPage follows docs/recording.md like a newcomer, word for word, with only Go
// installed, and checks the promised results. "go mod tidy" looks up the modules that tests of
// our dependencies need, so the network may be used if they are not in the cache.
func TestRecordingPage(t *testing.T) {
	t.Parallel()
	page := string(readFile(t, filepath.Join("..", "docs", "recording.md")))
	_, section, ok := strings.Cut(page, "\n## A Go program that records itself\n")
	if section, _, _ = strings.Cut(section, "\n## "); !ok {
		t.Fatal("the page does not tell how to record a Go program")
	}
	blocks := codeBlocks(section)
	if len(blocks["sh"]) != 2 || len(blocks["go"]) < 3 || len(blocks["text"]) != 2 {
		t.Fatalf("%d, %d, %d blocks of commands, code, screens", len(blocks["sh"]), len(blocks["go"]), len(blocks["text"]))
	}
	program, loops, snippets, commands := blocks["go"][0], blocks["go"][1], blocks["go"][2:], blocks["sh"]
	if lines := regexp.MustCompile(`(?m)^.*\b(rec|t)\..*$`).FindAllString(program, -1); len(lines) != 4-1 {
		t.Errorf("besides recorder.Start these lines record: %q, want 3", lines)
	}
	user := newNewcomer(t)
	user.shell(t, commands[0])
	user.dir = filepath.Join(user.dir, "hello")
	shareBuilds(t, user.dir)
	writeFile(t, filepath.Join(user.dir, "main.go"), program)
	shown, explore, ok := strings.Cut(commands[1], "tracex trace.bin")
	if !ok || strings.TrimSpace(explore) != "" {
		t.Fatalf("the last command is not the explorer: %q", commands[1])
	}
	user.shell(t, shown)
	cmd, _, _ := command(t, "print", filepath.Join(user.dir, "trace.bin"))
	printed, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(printed), "move("); n != 31 {
		t.Errorf("%d calls were recorded, want 31:\n%s", n, printed)
	}
	calls := regexp.MustCompile(`move\(\d.*\): \d+`)
	drawn := calls.FindAllString(blocks["text"][0], -1)
	if recorded := calls.FindAllString(string(printed), -1); len(drawn) < 5 ||
		slices.ContainsFunc(drawn, func(call string) bool { return !slices.Contains(recorded, call) }) {
		t.Errorf("the screen on the page has %q, recorded was %q", drawn, recorded)
	}

	writeFile(t, filepath.Join(user.dir, "loops", "main.go"), loops)
	user.shell(t, "go run ./loops")
	cmd, _, _ = command(t, "print", filepath.Join(user.dir, "cart.bin"))
	if printed, err = cmd.Output(); err != nil {
		t.Fatal(err)
	}
	anyObject := func(text string) string { return regexp.MustCompile(`@\d+`).ReplaceAllString(text, "@") }
	if got, want := anyObject(string(printed)), anyObject(blocks["text"][1]); got != want {
		t.Errorf("the program with loops recorded\n%s\non the page is\n%s", got, want)
	}

	_, section, _ = strings.Cut(page, "\n## Through shared memory\n")
	build, record, ok := strings.Cut(codeBlocks(section)["sh"][0], "\ntracex ")
	if !ok {
		t.Fatalf("the page does not build a program and record it by tracex: %q", build)
	}
	user.shell(t, build)
	cmd, stderr, _ := command(t, strings.Fields(record)...)
	cmd.Dir = user.dir
	if got := code(t, cmd.Run()); got != 0 || !strings.Contains(stderr.String(), "1 thread, 31 events") {
		t.Errorf("recorded through shared memory: exit code %d, %s", got, stderr)
	}

	writeFile(t, filepath.Join(user.dir, "snippets", "snippets.go"), snippetHead+strings.Join(snippets, "\n"))
	user.shell(t, "go vet ./snippets")
}

// newcomer is a user who has Go, the modules that tracex was built from, and nothing of their own.
type newcomer struct {
	dir string // where the commands run
	env []string
}

// newNewcomer makes an empty directory beside a checkout.
func newNewcomer(t *testing.T) (user newcomer) {
	t.Helper()
	for _, tool := range []string{"go", "sh"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("the commands of the page need it: ", err)
		}
	}
	caches, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	machine := strings.Split(string(caches), "\n")
	builds, modules, proxy := machine[0], machine[1], machine[2]
	checkout, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	user = newcomer{dir: t.TempDir(), env: os.Environ()}
	if err := os.Symlink(checkout, filepath.Join(user.dir, "tracex")); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(user.dir, "home")
	if err := os.Mkdir(home, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"HOME": home, "GOPATH": filepath.Join(home, "go"), "GOMODCACHE": modules, "GOCACHE": builds,
		"GOPROXY": proxy, "GOSUMDB": "off", "GOTOOLCHAIN": "local", "GOFLAGS": "", "GOWORK": "", "GOENV": "off",
	} {
		user.env = append(user.env, name+"="+value)
	}
	return user
}

// shareBuilds makes a module use the checkout by its own path instead of the link, so that the
// packages that were compiled for tests need not be compiled again.
func shareBuilds(t *testing.T, dir string) {
	t.Helper()
	checkout, err := filepath.EvalSymlinks(filepath.Join(dir, "..", "tracex"))
	if err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(dir, "go.mod")
	text := string(readFile(t, module))
	const link = "=> ../tracex\n"
	if !strings.Contains(text, link) {
		t.Fatalf("the module does not use the checkout beside it:\n%s", text)
	}
	writeFile(t, module, strings.Replace(text, link, "=> "+checkout+"\n", 1))
}

// shell runs commands in a shell.
func (user newcomer) shell(t *testing.T, commands string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-e", "-c", commands)
	cmd.Dir, cmd.Env = user.dir, user.env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s\n%v\n%s", commands, err, out)
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
