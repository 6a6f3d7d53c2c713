//go:build linux

package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tracex/cli/config"
	"tracex/ui"
)

// themed writes a configuration file and themes beside it, and returns the folder of the themes.
func themed(t *testing.T, file string, themes map[string]string) (folder string) {
	t.Helper()
	dir := t.TempDir()
	folder = filepath.Join(dir, "themes")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	themes["../config"] = file
	for name, text := range themes {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(config.Variable, filepath.Join(dir, "config"))
	return folder
}

// ran runs the command, and returns what it wrote and its exit code.
func ran(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd, errors, _ := command(t, args...)
	out, _ := cmd.Output()
	return string(out), errors.String(), cmd.ProcessState.ExitCode()
}

// TestThemeFiles: what is wrong in a theme is told with its line, what was found and what to do; the rest of it counts.
func TestThemeFiles(t *testing.T) {
	folder := themed(t, "[open]\ntheme = \"mine\"\n", map[string]string{
		"mine.toml":  "base = \"nord\"\nmethod = \"underline\"\nnumber = \"rot\"\n[dark]\nstring = \"#00ff00\"\nstrig = \"red\"\n[light]\nnumber = 208\ntext = [\"red\"]\n[drak]\nx = 1\n",
		"other.toml": "base = \"norrd\"\nfaint = \"#555555\"\ntext\n",
		"nord.toml":  "",
		"notes.txt":  "no theme",
	})
	stdout, stderr, code := ran(t, "config")
	for _, want := range []string{
		"theme = \"mine\" ", "config:2 ", "# * mine ", "based on nord: ", "#   other ", "# method = \"underline\" ", "# number = \"#ebcb8b\" or \"208\" ", "# string = \"#00ff00\" or \"#4c6634\" ",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %s in\n%s", want, stdout)
		}
	}
	for _, want := range []string{
		"mine.toml:3: number: \"rot\" is no color: use black", "mine.toml:6: no role strig; nearest: string, ", "mine.toml:9: text: expected a text in quotes, found [\"red\"]",
		"mine.toml:11: no table [drak]; a theme has [dark], [light]", "other.toml:1: base: no built-in theme \"norrd\"; there are tracex, ",
		"other.toml:3: ", "nord.toml: nord is a built-in theme, so this file does not count: rename it, and write base = \"nord\" in it",
		"other.toml:2: warning: dark, faint: #555555 on #1e1e1e has a contrast of 2.2:1; from 3:1 on it is legible",
		"mine.toml:8: warning: light, number: 208 on #eceff4 has a contrast of 2.",
	} {
		if !strings.Contains(stderr, "tracex: "+folder+string(filepath.Separator)+want) {
			t.Errorf("no %s in\n%s", want, stderr)
		}
	}
	if n := strings.Count(stderr, "mine.toml:3:"); code != 0 || n != 1 {
		t.Errorf("exit code %d, the mistake is told %d times", code, n)
	}
	if _, stderr, code := ran(t, "config", "--check"); code == 0 || !strings.Contains(stderr, "7 mistakes in the configuration") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	// The first screen is about the theme in force only.
	f := new(screenFlags)
	f.readThemes(config.Find())
	if own := f.userTheme("mine"); own == nil || len(own.faults) != 4 || f.userTheme("nord") != nil || len(f.look.Themes) != 2 {
		t.Errorf("%+v", own)
	}
}

// TestThemeFlag: a flag names a theme, and a mistake in it is told at once.
func TestThemeFlag(t *testing.T) {
	folder := themed(t, "", map[string]string{"mine.toml": ""})
	if stdout, stderr, code := ran(t, "config", "--theme=mine"); code != 0 || stderr != "" || !strings.Contains(stdout, "# --theme ") {
		t.Errorf("%d, %s\n%s", code, stderr, stdout)
	}
	want := "tracex: --theme: no theme \"yours\"; there are tracex, high-contrast, terminal, catppuccin, gruvbox, nord, mine; yours are in " + folder + "\n"
	if _, stderr, code := ran(t, "config", "--theme=yours"); code != 2 || stderr != want {
		t.Errorf("%d, %q", code, stderr)
	}
	if names, _ := completeTheme(nil, nil, ""); !slices.Contains(names, "mine") || !slices.Contains(names, "nord") {
		t.Errorf("completion: %q", names)
	}
}

// TestThemesPage: docs/config.md names all themes, and its theme is without mistakes.
func TestThemesPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "config.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range ui.ThemeNames(ui.Themes(nil)) {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("the page has no theme %s", name)
		}
	}
	_, text, _ := strings.Cut(string(page), "themes/mine.toml\n")
	text, _, _ = strings.Cut(text, "```")
	folder := themed(t, "", map[string]string{"mine.toml": text})
	own := readTheme(filepath.Join(folder, "mine.toml"))
	if len(own.faults) > 0 || len(own.warnings()) > 0 || own.Base != "gruvbox" || len(own.Dark) != 2 {
		t.Errorf("%v, %v, %+v", own.faults, own.warnings(), own.Theme)
	}
}
