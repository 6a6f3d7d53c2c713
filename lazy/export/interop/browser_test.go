package interop

import (
	"encoding/base64"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
// is to do: the text of the page, or nothing if that is a screenshot.
func (b *browser) open(t *testing.T, name string, content []byte, do string) string {
	t.Helper()
	script := filepath.Join(b.dir, "profile.js")
	load := fmt.Sprintf("speedscope.loadFileFromBase64(%q, %q)", name, base64.StdEncoding.EncodeToString(content))
	if err := os.WriteFile(script, []byte(load), 0o600); err != nil {
		t.Fatal(err)
	}
	return string(run(t, nil, b.path, "--headless", "--no-sandbox", "--disable-dev-shm-usage", "--enable-unsafe-swiftshader", "--use-angle=swiftshader",
		"--allow-file-access-from-files", "--window-size=1200,420", "--virtual-time-budget=20000", "--user-data-dir="+filepath.Join(b.dir, "user"),
		do, "file://"+b.page+"#localProfilePath="+script))
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
				text := ""
				for range 3 { // on a busy machine the browser may lose the canvas that the page draws on: the page says so
					text = strings.Join(strings.Fields(tag.ReplaceAllString(b.open(t, "t"+suffix, content, "--dump-dom"), " ")), " ")
					if !strings.Contains(text, "Something went wrong") {
						break
					}
				}
				if !strings.Contains(text, "Time Order Left Heavy Sandwich") && !strings.Contains(text, "Left Heavy") || strings.Contains(text, "Browse") {
					t.Fatalf("it shows no profile: %s", text)
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
