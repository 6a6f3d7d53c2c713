//go:build linux

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format/formattest"
)

// TestDiffSamples: docs/diff.md has what its commands print for the trace of the demo, docs/json.md the first place.
func TestDiffSamples(t *testing.T) {
	page := string(readFile(t, filepath.Join("..", "docs", "diff.md")))
	inJSON := string(readFile(t, filepath.Join("..", "docs", "json.md")))
	demo := formattest.Demo(t)
	t.Chdir(t.TempDir())
	for _, suffix := range []string{"", ".idx", ".tim"} {
		if err := os.WriteFile("shop.bin"+suffix, readFile(t, demo+suffix), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ran := 0
	for _, sample := range strings.Split(page, "```\n$ ")[1:] {
		sample, _, _ = strings.Cut(sample, "```")
		for _, one := range strings.Split(sample, "\n$ ") {
			line, want, _ := strings.Cut(one, "\n")
			args := words(line)
			if ran++; args[0] == "head" {
				text := string(readFile(t, args[3]))
				formattest.SameText(t, []byte(strings.Join(strings.SplitAfter(text, "\n")[:12], "")), []byte(want))
				continue
			}
			text, stderr, exit := runCommand(t, args[1:]...)
			if exit != 0 {
				t.Fatalf("%s: %d %s", line, exit, stderr)
			}
			formattest.SameText(t, []byte(text), []byte(want))
		}
	}
	if ran != 7 {
		t.Errorf("%d commands", ran)
	}
	if text, _, _ := runCommand(t, "diff", "--first", "--json", "shop.bin#46", "#84"); text == "" || !strings.Contains(inJSON, "\n"+text) {
		t.Errorf("docs/json.md does not have %s", text)
	}
}

// TestGoldenPage follows the Go example of docs/diff.md like a newcomer: its test writes a golden trace, passes, and fails as the page says.
func TestGoldenPage(t *testing.T) {
	t.Parallel()
	page := string(readFile(t, filepath.Join("..", "docs", "diff.md")))
	_, section, ok := strings.Cut(page, "\n### In a Go test\n")
	blocks := codeBlocks(section)
	if !ok || len(blocks["go"]) != 2 || len(blocks["sh"]) != 1 || len(blocks["text"]) != 1 {
		t.Fatalf("%d, %d, %d blocks", len(blocks["go"]), len(blocks["sh"]), len(blocks["text"]))
	}
	user := newNewcomer(t)
	user.shell(t, "mkdir shop && cd shop && go mod init shop && go mod edit -replace tracex=../tracex")
	user.dir = filepath.Join(user.dir, "shop")
	shareBuilds(t, user.dir)
	source := filepath.Join(user.dir, "shop.go")
	writeFile(t, source, blocks["go"][0])
	writeFile(t, filepath.Join(user.dir, "shop_test.go"), blocks["go"][1])
	user.shell(t, "go get tracex/recorder tracex/lazy/golden")
	user.shell(t, blocks["sh"][0])
	cheaper := strings.Replace(blocks["go"][0], "\treturn 100 * len(item)", "\tif item == \"tea\" {\n\t\treturn 290\n\t}\n\treturn 100 * len(item)", 1)
	writeFile(t, source, cheaper)
	user.shell(t, "! go test . > out.txt")
	var said []string
	for line := range strings.Lines(string(readFile(t, filepath.Join(user.dir, "out.txt")))) {
		said = append(said, strings.TrimPrefix(line, "        "))
	}
	text := strings.Join(said, "")
	if i := strings.Index(text, "2 lines of"); i < 0 || !strings.HasPrefix(strings.ReplaceAll(text[i:], "\n\n", "\n \n"), blocks["text"][0]) {
		t.Errorf("the test says\n%s\non the page is\n%s", text, blocks["text"][0])
	}
}
