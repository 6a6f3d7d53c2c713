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

// TestRecordingPage follows docs/recording.md like a newcomer, word for word, without a network
// and with only Go installed, and checks the promised results.
func TestRecordingPage(t *testing.T) {
	page := string(readFile(t, filepath.Join("..", "docs", "recording.md")))
	_, section, ok := strings.Cut(page, "\n## A Go program\n")
	if section, _, _ = strings.Cut(section, "\n## "); !ok {
		t.Fatal("the page does not tell how to record a Go program")
	}
	blocks := codeBlocks(section)
	if len(blocks["sh"]) != 2 || len(blocks["go"]) < 2 || len(blocks["text"]) != 1 {
		t.Fatalf("%d, %d, %d blocks of commands, code, screens", len(blocks["sh"]), len(blocks["go"]), len(blocks["text"]))
	}
	program, commands := blocks["go"][0], blocks["sh"]
	if lines := regexp.MustCompile(`(?m)^.*\b(rec|t)\..*$`).FindAllString(program, -1); len(lines) != 4-1 {
		t.Errorf("besides recorder.Start these lines record: %q, want 3", lines)
	}
	dir := newcomer(t)
	shell(t, dir, commands[0])
	dir = filepath.Join(dir, "hello")
	writeFile(t, filepath.Join(dir, "main.go"), program)
	shown, explore, ok := strings.Cut(commands[1], "tracex trace.bin")
	if !ok || strings.TrimSpace(explore) != "" {
		t.Fatalf("the last command is not the explorer: %q", commands[1])
	}
	shell(t, dir, shown)
	cmd, _, _ := command(t, "print", filepath.Join(dir, "trace.bin"))
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

	_, section, _ = strings.Cut(page, "\n## Through shared memory\n")
	build, record, ok := strings.Cut(codeBlocks(section)["sh"][0], "\ntracex ")
	if !ok {
		t.Fatalf("the page does not build a program and record it by tracex: %q", build)
	}
	shell(t, dir, build)
	cmd, stderr, _ := command(t, strings.Fields(record)...)
	cmd.Dir = dir
	if got := code(t, cmd.Run()); got != 0 || !strings.Contains(stderr.String(), "1 thread, 31 events") {
		t.Errorf("recorded through shared memory: exit code %d, %s", got, stderr)
	}

	writeFile(t, filepath.Join(dir, "snippets", "snippets.go"), snippetHead+strings.Join(blocks["go"][1:], "\n"))
	shell(t, dir, "go vet ./snippets")
}

// newcomer makes an empty directory beside a checkout, for a user who has Go and only
// the modules that tracex was built from.
func newcomer(t *testing.T) (dir string) {
	t.Helper()
	for _, tool := range []string{"go", "sh"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("the commands of the page need it: ", err)
		}
	}
	caches, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	builds, modules, _ := strings.Cut(strings.TrimSpace(string(caches)), "\n")
	checkout, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	if err := os.Symlink(checkout, filepath.Join(dir, "tracex")); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"HOME": home, "GOPATH": filepath.Join(home, "go"), "GOMODCACHE": modules, "GOCACHE": builds,
		"GOPROXY": "off", "GOSUMDB": "off", "GOTOOLCHAIN": "local", "GOFLAGS": "", "GOWORK": "", "GOENV": "off",
	} {
		t.Setenv(name, value)
	}
	return dir
}

// shell runs commands in a shell.
func shell(t *testing.T, dir, commands string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-e", "-c", commands)
	cmd.Dir = dir
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
