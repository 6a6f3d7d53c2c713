package interop

import (
	"bytes"
	"encoding/base64"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/export"
)

var update = flag.Bool("update", false, "draw the screenshot of the docs anew")

// speedscope is the version that is loaded.
const speedscope = "speedscope@1.25.0"

// browser is a headless Chromium with speedscope.
type browser struct {
	path string // of Chromium
	page string // of speedscope
	dir  string
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	needs(t, "npm")
	b := &browser{dir: t.TempDir()}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			b.path = path
			break
		}
	}
	if b.path == "" {
		t.Fatal("there is no chromium")
	}
	run(t, nil, "npm", "install", "--prefix", b.dir, "--silent", "--ignore-scripts", "--no-fund", "--no-audit", speedscope)
	b.page = filepath.Join(b.dir, "node_modules", "speedscope", "dist", "release", "index.html")
	return b
}

// open loads a file as speedscope's own command does, by a script that holds it, and returns what more
// is to do: the text of the page, or nothing if that is a screenshot; and what the page wrote to its console.
func (b *browser) open(t *testing.T, name string, content []byte, do string) (out string, console []string) {
	t.Helper()
	script := filepath.Join(b.dir, "profile.js")
	// Nobody would answer an alert.
	load := fmt.Sprintf("alert = text => console.log('alert: ' + text); speedscope.loadFileFromBase64(%q, %q)", name, base64.StdEncoding.EncodeToString(content))
	if err := os.WriteFile(script, []byte(load), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), b.path, "--headless", "--no-sandbox", "--disable-dev-shm-usage", "--enable-unsafe-swiftshader", "--use-angle=swiftshader",
		"--allow-file-access-from-files", "--window-size=1200,420", "--virtual-time-budget=20000", "--user-data-dir="+t.TempDir(),
		"--enable-logging=stderr", "--v=0", do, "file://"+b.page+"#localProfilePath="+script)
	var logged bytes.Buffer
	c.Stderr = &logged
	text, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(b.path), err, logged.Bytes())
	}
	for _, m := range consoleLine.FindAllStringSubmatch(logged.String(), -1) {
		console = append(console, m[1])
	}
	return string(text), console
}

var (
	consoleLine = regexp.MustCompile(`:CONSOLE[^]]*\] "(.*)", source: `)
	// imported is what speedscope writes when it has read a file, or cannot.
	imported = regexp.MustCompile(`(?m)^import: |^Failed to load format|^alert: `)
	// noCanvas is what it writes when the browser gives it nothing to draw on.
	noCanvas = regexp.MustCompile(`Failed to create WebGL context|Setup failure`)
	// unpaired is what it writes of an end that it leaves out, and of a call that it finds no end of.
	unpaired = regexp.MustCompile(`Doing nothing instead|was still open`)
)

// show returns the text of the page with a file, and its console. A page that has not got so far as to read the
// file, or has nothing to draw on, says nothing about the file: it is opened again.
func (b *browser) show(t *testing.T, name string, content []byte) (text string, console []string) {
	t.Helper()
	for range 20 {
		text, console = b.open(t, name, content, "--dump-dom")
		all := strings.Join(console, "\n")
		if imported.MatchString(all) && !noCanvas.MatchString(all) {
			break
		}
		t.Logf("the page is opened again; its console: %q", ends(console))
	}
	return strings.Join(strings.Fields(tag.ReplaceAllString(text, " ")), " "), console
}

// ends returns the first and the last lines of a console.
func ends(console []string) []string {
	const most = 5
	if len(console) <= 2*most {
		return console
	}
	return append(append(console[:most:most], "..."), console[len(console)-most:]...)
}

var tag = regexp.MustCompile(`(?s)<style.*?</style>|<script.*?</script>|<[^>]*>`)

// TestBrowser: speedscope, in a browser, shows the threads of what is exported for it, and of Chrome's JSON.
func TestBrowser(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	for name, path := range map[string]string{
		"timed":   formattest.File(t, formattest.Spec{Shape: formattest.Threads, N: 8, Seed: 9, Timed: true}),
		"untimed": formattest.Unpack(t, "gson.stream.bin"),
	} {
		r := openTrace(t, path)
		threads := 0
		for th := range r.ThreadList().All() {
			if th.Name != "" {
				threads++
			}
		}
		for format, suffix := range map[string]string{"speedscope": ".speedscope.json", "chrome": ".json"} {
			t.Run(name+" "+format, func(t *testing.T) {
				content := exported(t, r, format, export.Options{Title: "the title", Force: true})
				text, console := b.show(t, "t"+suffix, content)
				if !strings.Contains(text, "Time Order Left Heavy Sandwich") && !strings.Contains(text, "Left Heavy") || strings.Contains(text, "Browse") {
					t.Fatalf("it shows no profile: %s\nconsole: %q", text, ends(console))
				}
				if strings.Contains(text, "Something went wrong") {
					t.Errorf("%s\nconsole: %q", text, ends(console))
				}
				if i := slices.IndexFunc(console, unpaired.MatchString); i >= 0 {
					t.Errorf("calls are not where they were: %s", console[i])
				}
				if threads > 1 && !regexp.MustCompile(`\(1/[0-9]+\)`).MatchString(text) {
					t.Errorf("it shows one thread: %s", text)
				}
			})
		}
		r.Close()
	}
	if !*update {
		return
	}
	path := filepath.Join("..", "..", "..", "testdata", "screen", "speedscope.png")
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	r := openTrace(t, formattest.Demo(t))
	defer r.Close()
	b.open(t, "shop.speedscope.json", exported(t, r, "speedscope", export.Options{Title: "shop.bin"}), "--screenshot="+path)
}

func openTrace(t *testing.T, path string) *lazy.LazyTraceReader {
	t.Helper()
	r, err := lazy.Open(path, lazy.Options{NoWrite: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}
