package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"tracex/cli/config"
	"tracex/ui"
)

// configured returns the settings of a command line with a configuration file and an environment.
func configured(t *testing.T, file, env string, args ...string) (*screenFlags, *settings) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(path, []byte(file), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv(config.Variable, path)
	for _, set := range openSettings {
		t.Setenv(set.variable, "")
	}
	for _, pair := range strings.Fields(env) {
		name, value, _ := strings.Cut(pair, "=")
		t.Setenv(name, value)
	}
	f, c := new(screenFlags), new(cobra.Command)
	f.add(c)
	if err := c.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	if err := f.valid(); err != nil {
		t.Fatal(err)
	}
	return f, f.configure()
}

// TestPrecedence: a flag counts more than a variable, that more than the file, and that more than
// the default; what a fault is in keeps its default.
func TestPrecedence(t *testing.T) {
	const file = "[open]\nmemory = \"1MiB\"\ncolor = \"never\"\ntheme = \"nord\"\nascii = true\nmouse = false\nsticky = false\ndetails = true\nraw = true\nsource = [\"/\"]\n"
	const env = "TRACEX_MEMORY=2MiB TRACEX_COLOR=always TRACEX_THEME=gruvbox TRACEX_ASCII=false TRACEX_MOUSE=true TRACEX_STICKY=true TRACEX_DETAILS=false TRACEX_RAW=false TRACEX_SOURCE=."
	flags := []string{"--memory=3MiB", "--color=auto", "--theme=terminal", "--ascii", "--no-mouse", "--details", "--raw", "--source=.."}
	values := func(f *screenFlags) (all []string) {
		for _, set := range openSettings {
			all = append(all, set.get(f))
		}
		return all
	}
	for _, c := range []struct {
		name, file, env string
		flags           []string
		want            string
		from            string // of memory
	}{
		{"defaults", "", "", nil, `"256MiB" "auto" "tracex" "auto" true true false false []`, ""},
		{"file", file, "", nil, `"1MiB" "never" "nord" true false false true true ["/"]`, ":2"},
		{"environment", "", env, nil, `"2MiB" "always" "gruvbox" false true true false false ["."]`, "$TRACEX_MEMORY"},
		{"environment over file", file, env, nil, `"2MiB" "always" "gruvbox" false true true false false ["."]`, "$TRACEX_MEMORY"},
		{"flags over all", file, env, flags, `"3MiB" "auto" "terminal" true false true true true [".."]`, "--memory"},
		{"flags that say no", file, "", []string{"--ascii=false", "--no-mouse=false", "--details=false", "--raw=false"}, `"1MiB" "never" "nord" false true false false false ["/"]`, ":2"},
		{"auto", "[open]\nascii = \"auto\"", "", nil, `"256MiB" "auto" "tracex" "auto" true true false false []`, ""},
	} {
		f, s := configured(t, c.file, c.env, c.flags...)
		if got := strings.Join(values(f), " "); got != c.want || len(s.faults) > 0 {
			t.Errorf("%s: %s, want %s; %v", c.name, got, c.want, s.faults)
		}
		if got := s.from["open.memory"]; !strings.HasSuffix(got, c.from) || c.from == "" && got != "" {
			t.Errorf("%s: memory is from %q", c.name, got)
		}
	}
	f, s := configured(t, strings.ReplaceAll(strings.ReplaceAll(file, "true", "7"), "never", "ever"), "TRACEX_MEMORY=much TRACEX_RAW=perhaps")
	if got := strings.Join(values(f), " "); got != `"1MiB" "auto" "nord" "auto" false false false false ["/"]` || len(s.faults) != 6 {
		t.Errorf("%s, %d faults: %v", got, len(s.faults), s.faults)
	}
}

// TestFaults: each mistake has its line, what was found there and what is allowed, and what is
// right beside it counts.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"serch = [\"f\"]", "[keys] has no setting serch; nearest: search, "},
		{"search = 7", ""},
		{"search = []", ""},
		{"search = true", "search: expected a list of texts, found true"},
		{"search = [\"f\", true]", "search: expected a list of texts, found true in it"},
		{"search = [\"alt+x\"]", "search: \"alt+x\": keys with Alt do not exist here: terminals send them as Esc and the key"},
		{"search = [\"5\"]", "search: \"5\": digits are the count before a key"},
		{"search = [\"ctrl+c\"]", "search: ctrl+c always quits"},
		{"search = [\"Z\"]", "search: \"Z\" is taken by raw, line 2"},
		{"search = /", "/ needs quotes: search = \"/\""},
		{"raw = [\"f\"]", "keys.raw is set twice; line 2 counts"},
		{"[kees]\nx = 1", "no table [kees]; tables: [open], [columns], [colors], [keys]"},
		{"[open]\nmemory = \"big\"", "memory: expected a size such as 64MiB, found \"big\""},
		{"[open]\ncolor = \"red\"", "color: expected auto, always or never, found \"red\""},
		{"[open]\ntheme = \"norrd\"", "theme: no theme \"norrd\"; there are tracex, high-contrast, terminal, catppuccin, gruvbox, nord; yours are in "},
		{"[open]\nmouse = \"no\"", "mouse: expected true or false, found \"no\""},
		{"[open]\nsource = [\"/no/such/dir\"]", "source: /no/such/dir is not a directory"},
		{"[open]\nmemorry = 1", "[open] has no setting memorry; nearest: memory, "},
		{"[colors]\nmethods = \"red\"", "[colors] has no setting methods; nearest: method, "},
		{"[colors]\nmethod = \"rot\"", "method: \"rot\" is no color: use black, red, "},
		{"[colors]\nmethod = [\"red\"]", "method: expected a text in quotes, found [\"red\"]"},
		{"[columns]\nshow = [\"weight?\"]", "show: no column \"weight?\"; there are start, duration, self, "},
		{"[columns]\nshow = [\"self\", \"self\"]", "show: \"self\" is there twice"},
		{"[columns]\nraw-units = 1", "raw-units: expected true or false, found 1"},
		{"[open]\n[open.x]\ny = 1", "no table [open.x]; tables: [open], [columns], [colors], [keys]"},
	} {
		if c.line == "search = 7" {
			c.want = "search: \"7\": digits are the count before a key"
		}
		f, s := configured(t, "[keys]\nraw = [\"Z\"]\n"+c.line+"\n", "")
		if !slices.Equal(f.look.Keys["raw"], []string{"Z"}) {
			t.Errorf("%s: the line before does not count: %q", c.line, f.look.Keys)
		}
		if c.want == "" {
			if keys, ok := f.look.Keys["search"]; !ok || len(keys) > 0 || len(s.faults) > 0 {
				t.Errorf("%s: %q, %v", c.line, keys, s.faults)
			}
			continue
		}
		if len(s.faults) != 1 || !strings.HasPrefix(s.faults[0].Text, c.want) || s.faults[0].Line < 3 {
			t.Errorf("%s: %v, want %s", c.line, s.faults, c.want)
		}
		if !strings.Contains(s.remark(), s.faults[0].Text) {
			t.Errorf("%s: the screen says %q", c.line, s.remark())
		}
	}
	if _, s := configured(t, "a = 1\nraw = 2", ""); len(s.faults) != 2 || s.faults[1].Text != "raw belongs in the table [open]" || !strings.HasPrefix(s.remark(), "1 of 2: ") {
		t.Errorf("%v, %q", s.faults, s.remark())
	}
}

// TestConfigReadsItself: the command's output is a configuration that sets the same.
func TestConfigReadsItself(t *testing.T) {
	const file = "[open]\nmemory = \"1GiB\"\nmouse = false\nsource = [\"/\"]\n[keys]\nsearch = [\"f\", '\"', '\\']\nraw = []\nquit = [\"Z\"]\nhelp=[\"f1\", \"#\"]\n[colors]\nmethod = \"bold #ff0000 on 17\"\nnumber = 208\n[columns]\nshow = [\"self\", \"duration\"]\nraw-units = true\n"
	f, s := configured(t, file, "")
	text := f.text(s)
	again, s2 := configured(t, text, "")
	if len(s.faults) > 0 || len(s2.faults) > 0 {
		t.Fatalf("%v, %v", s.faults, s2.faults)
	}
	for _, want := range []string{`search = ["f", '"', '\']`, "raw = []", "f is now search", "config:6 ", `method = "bold #ff0000 on 17"`, `number = "208"`, `show = ["self", "duration"]`, "raw-units = true", "# default; # is now help"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	strip := func(text string) (lines []string) {
		for line := range strings.Lines(text) {
			if name, value, ok := strings.Cut(line, " = "); ok && line[0] != '#' {
				value, _, _ = strings.Cut(value, "  #")
				value, _, _ = strings.Cut(value, " # ")
				lines = append(lines, name+" = "+strings.TrimSpace(value))
			}
		}
		return lines
	}
	if a, b := strip(text), strip(again.text(s2)); !slices.Equal(a, b) || len(a) < 50 {
		t.Errorf("%q\n%q", a, b)
	}
}

// TestConfigPage: docs/config.md names all settings and roles.
func TestConfigPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "config.md"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, set := range openSettings {
		names = append(names, set.name, set.variable)
	}
	for _, set := range columnSettings {
		names = append(names, set.name)
	}
	names = append(names, ui.Columns()...)
	for _, r := range ui.Roles(ui.ThemeNamed(ui.Themes(nil), ui.StandardTheme), nil) {
		names = append(names, r.Name)
	}
	for _, name := range names {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("the page has no %s", name)
		}
	}
}
