package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// layer is what a package may import.
type layer struct {
	pkg   string
	knows []string // packages of the project, besides those below its own directory
	bans  []string // prefixes of other import paths
}

// layers are the packages of the project and which others each may import: main → cli → ui →
// lazy → format ← recorder. The first rule whose name is that of the package, or of a directory
// above it, applies.
var layers = []layer{
	{"tracex/ui/internal/uitest", []string{"tracex/lazy", "tracex/format", "tracex/format/formattest"}, nil},
	{"tracex/ui", []string{"tracex/lazy", "tracex/format"}, []string{"testing"}},
	// The parts of the reader import neither the reader nor each other, except these.
	{"tracex/lazy/internal/mapped", []string{"tracex/format"}, []string{"testing", "charm.land/"}},
	{"tracex/lazy/internal/fold", []string{"tracex/format"}, []string{"testing", "charm.land/"}},
	{"tracex/lazy/internal/decode", nil, []string{"testing", "charm.land/"}},
	{"tracex/lazy/internal/spill", nil, []string{"testing", "charm.land/", "github.com/", "golang.org/"}},
	{"tracex/lazy/internal/summary", []string{"tracex/lazy/internal/decode", "tracex/format"}, []string{"testing", "charm.land/"}},
	{"tracex/lazy/internal/compact", nil, []string{"testing", "charm.land/", "github.com/", "golang.org/"}},
	{"tracex/lazy/internal/index", []string{"tracex/lazy/internal/compact", "tracex/lazy/internal/mapped", "tracex/format"}, []string{"testing", "charm.land/"}},
	{"tracex/lazy/internal/times", []string{"tracex/lazy/internal/mapped", "tracex/format"}, []string{"testing", "charm.land/"}},
	{"tracex/lazy/internal/lines", []string{"tracex/lazy/internal/times", "tracex/lazy/internal/mapped", "tracex/format"}, []string{"testing", "charm.land/"}},
	// The reader: the files, the walks over their threads, and the tree, which is package lazy. Each uses those before it.
	{"tracex/lazy/internal/trace", []string{"tracex/lazy/internal/index", "tracex/lazy/internal/compact", "tracex/lazy/internal/times", "tracex/lazy/internal/summary", "tracex/lazy/internal/decode", "tracex/lazy/internal/mapped", "tracex/format"}, []string{"testing", "charm.land/"}},
	{"tracex/lazy/internal/walk", []string{"tracex/lazy/internal/trace", "tracex/lazy/internal/index", "tracex/lazy/internal/compact", "tracex/lazy/internal/times", "tracex/lazy/internal/summary", "tracex/lazy/internal/decode", "tracex/lazy/internal/mapped", "tracex/lazy/internal/fold", "tracex/lazy/internal/lines", "tracex/lazy/internal/spill", "tracex/lazy/literal", "tracex/format"}, []string{"testing", "charm.land/"}},
	{"tracex/lazy/literal", nil, []string{"testing", "charm.land/"}},
	// The plain loader, with which the reader is compared, shares the code that prints.
	{"tracex/lazy/eager", []string{"tracex/lazy/internal/fold", "tracex/lazy/internal/lines", "tracex/lazy/internal/times", "tracex/lazy/internal/mapped", "tracex/format"}, []string{"testing", "charm.land/"}},
	// What answers are shown with knows no traces.
	{"tracex/lazy/query/display", []string{"tracex/format"}, []string{"testing", "charm.land/"}},
	{"tracex/lazy/query/histogram", nil, []string{"testing", "charm.land/", "github.com/", "golang.org/"}},
	{"tracex/lazy/query/table", []string{"tracex/lazy/query/display", "tracex/lazy/query/histogram", "tracex/format"}, []string{"testing", "charm.land/"}},
	{"tracex/lazy/query/nearest", nil, []string{"testing", "charm.land/", "github.com/", "golang.org/"}},
	{"tracex/lazy/query/filter", []string{"tracex/lazy/literal", "tracex/lazy/query/nearest", "tracex/format"}, []string{"testing", "charm.land/", "github.com/", "golang.org/", "os/exec", "net"}},
	// Notes are beside a trace: they know what reads it, and no screen.
	{"tracex/lazy/notes", []string{"tracex/lazy", "tracex/format"}, []string{"testing", "charm.land/", "tracex/lazy/eager"}},
	{"tracex/lazy/query/sourcefiles", []string{"tracex/lazy/literal", "tracex/lazy/query/display", "tracex/lazy/query/filter", "tracex/lazy/query/nearest", "tracex/format"}, []string{"testing", "charm.land/"}},
	// Answers know the reader, not the screen.
	{"tracex/lazy/query/goroutines", []string{"tracex/lazy", "tracex/format"}, []string{"testing", "charm.land/"}},
	{"tracex/lazy/query/pattern", []string{"tracex/lazy", "tracex/format"}, []string{"testing", "charm.land/"}},
	{"tracex/lazy/query/places", []string{"tracex/lazy", "tracex/format"}, []string{"testing", "charm.land/"}},
	{"tracex/lazy/query", []string{"tracex/lazy", "tracex/format", "tracex/format/formattest"}, []string{"testing", "charm.land/"}},
	// A diff walks over the threads of two traces, and writes a third.
	{"tracex/lazy/diff", []string{"tracex/lazy", "tracex/format"}, []string{"testing", "charm.land/", "tracex/lazy/eager"}},
	{"tracex/lazy", []string{"tracex/format"}, []string{"testing", "charm.land/", "tracex/lazy/eager"}},
	{"tracex/recorder/perfetto/ipctest", []string{"tracex/recorder"}, []string{"charm.land/"}},
	{"tracex/recorder/shared/sharedtest", []string{"tracex/recorder", "tracex/recorder/perfetto/ipctest", "tracex/format"}, []string{"charm.land/"}},
	{"tracex/recorder/convert/spool", nil, []string{"testing", "charm.land/", "github.com/", "google.golang.org/", "golang.org/"}},
	{"tracex/recorder/instrument/raw/rawtest", []string{"tracex/recorder/instrument/raw"}, []string{"charm.land/"}},
	{"tracex/recorder/internal/versiontest", []string{"tracex/format", "tracex/format/formattest"}, []string{"charm.land/"}},
	{"tracex/recorder/internal/tracetest", []string{"tracex/lazy", "tracex/lazy/eager", "tracex/format"}, []string{"charm.land/"}},
	{"tracex/recorder/convert/readback", []string{"tracex/recorder", "tracex/lazy", "tracex/format"}, []string{"charm.land/"}},
	{"tracex/recorder/recordertest", []string{"tracex/recorder", "tracex/recorder/internal/tracetest", "tracex/lazy", "tracex/lazy/eager", "tracex/format", "tracex/format/formattest"}, []string{"charm.land/"}},
	{"tracex/recorder", []string{"tracex/format"}, []string{"testing", "charm.land/"}},
	{"tracex/format/formattest", []string{"tracex/format"}, []string{"charm.land/"}},
	{"tracex/format/filelock", nil, []string{"testing", "charm.land/", "github.com/", "os/exec", "net"}},
	{"tracex/format", nil, []string{"testing", "charm.land/", "github.com/", "golang.org/", "os/exec", "net"}},
	{"tracex/docs", nil, []string{"testing", "charm.land/", "github.com/", "golang.org/", "os/exec", "net"}},
	{"tracex/cli", []string{"tracex/docs", "tracex/ui", "tracex/lazy", "tracex/format", "tracex/recorder"}, []string{"testing"}},
	{"tracex", []string{"tracex/cli", "tracex/docs", "tracex/ui", "tracex/lazy", "tracex/format", "tracex/recorder"}, []string{"testing"}},
}

// screenParts are the packages below ui/internal. Each may import those before it.
var screenParts = []string{"theme", "screen", "prompt", "keys", "env", "tree", "search", "lists", "details", "flame", "tables"}

// partRule returns the rule of a package below ui/internal; ok is false if screenParts does not list it.
func partRule(path string) (rule layer, ok bool) {
	const below = "tracex/ui/internal/"
	i := slices.Index(screenParts, strings.TrimPrefix(path, below))
	if i < 0 || !strings.HasPrefix(path, below) {
		return layer{}, false
	}
	rule = layer{path, []string{"tracex/lazy", "tracex/format"}, []string{"testing"}}
	for _, name := range screenParts[:i] {
		rule.knows = append(rule.knows, below+name)
	}
	return rule, true
}

// borders are the rules within the recorder: which of its packages a package may import, and
// which libraries it may not use. The first rule whose name is the package's applies, or, if
// the name ends in a slash, that of a directory above the package.
var borders = []struct {
	pkg   string
	knows []string // packages, and directories with a slash at the end
	bans  []string
}{
	// A user's program links little code: speaking to a service is in another package.
	{"tracex/recorder", []string{"tracex/recorder/internal/"}, heavy},
	{"tracex/recorder/httptrace", []string{"tracex/recorder", "tracex/recorder/internal/"}, []string{"google.golang.org/"}},
	{"tracex/recorder/slogtrace", []string{"tracex/recorder", "tracex/recorder/internal/"}, []string{"google.golang.org/", "net/http"}},
	{"tracex/recorder/internal/versiontest", nil, nil},
	{"tracex/recorder/internal/tracetest", nil, nil},
	{"tracex/recorder/internal/clock", []string{"tracex/recorder/internal/live"}, heavy},
	{"tracex/recorder/internal/live", nil, heavy},
	{"tracex/recorder/shared", []string{"tracex/recorder/internal/", "tracex/recorder/internal/perfetto/calls", "tracex/recorder/perfetto/messages",
		"tracex/recorder/internal/perfetto/ipc", "tracex/recorder/internal/perfetto/smb", "tracex/recorder/perfetto/producer"}, []string{"net/http"}},
	// The memory knows no sockets, the sockets not the contents of the memory, and neither
	// knows call trees.
	{"tracex/recorder/perfetto/messages", nil, []string{"net/http"}},
	{"tracex/recorder/internal/perfetto/smb", []string{"tracex/recorder/internal/policy"}, []string{"net", "google.golang.org/"}},
	{"tracex/recorder/internal/perfetto/ipc", []string{"tracex/recorder/perfetto/messages"}, []string{"net/http"}},
	{"tracex/recorder/internal/perfetto/calls", nil, []string{"net"}},
	{"tracex/recorder/perfetto/producer", []string{"tracex/recorder/internal/policy", "tracex/recorder/perfetto/messages", "tracex/recorder/internal/perfetto/ipc",
		"tracex/recorder/internal/perfetto/smb"}, []string{"net/http"}},
	{"tracex/recorder/perfetto/consumer", []string{"tracex/recorder/perfetto/messages", "tracex/recorder/internal/perfetto/ipc"}, []string{"net/http"}},
	{"tracex/recorder/perfetto/service/tracebuf", []string{"tracex/recorder/internal/policy", "tracex/recorder/internal/perfetto/smb"}, []string{"net"}},
	{"tracex/recorder/perfetto/service", []string{"tracex/recorder/internal/policy", "tracex/recorder/perfetto/messages", "tracex/recorder/internal/perfetto/ipc",
		"tracex/recorder/internal/perfetto/smb", "tracex/recorder/perfetto/service/tracebuf"}, []string{"net/http"}},
	{"tracex/recorder/internal/", []string{"tracex/recorder/internal/"}, heavy},
	// What a program records knows neither what records by hand nor a trace.
	{"tracex/recorder/instrument/raw", nil, heavy},
	{"tracex/recorder/instrument/raw/rawtest", []string{"tracex/recorder/instrument/raw"}, nil},
	{"tracex/recorder/convert/instrumented", []string{"tracex/recorder/convert/calltrace", "tracex/recorder/convert/fit", "tracex/recorder/convert/spool", "tracex/recorder/instrument/raw", "tracex/recorder/internal/errortexts", "tracex/recorder/internal/gonames", "tracex/recorder/internal/values"}, []string{"net"}},
	{"tracex/recorder/convert/spool", nil, nil},
	{"tracex/recorder/convert/fit", nil, []string{"net"}},
	{"tracex/recorder/convert/calltrace", []string{"tracex/recorder/convert/spool", "tracex/recorder/convert/fit"}, []string{"net"}},
	{"tracex/recorder/convert/chrome", []string{"tracex/recorder/convert/calltrace", "tracex/recorder/convert/sources", "tracex/recorder/convert/spool", "tracex/recorder/convert/fit"}, []string{"net"}},
	{"tracex/recorder/convert/perfetto", []string{"tracex/recorder/convert/calltrace", "tracex/recorder/convert/spool", "tracex/recorder/convert/fit", "tracex/recorder/internal/perfetto/calls"}, []string{"net"}},
	// What recognizes files and converts them knows no recording; a recording knows it.
	{"tracex/recorder/convert/importer", []string{"tracex/recorder/convert/", "tracex/recorder/instrument/raw", "tracex/recorder/internal/", "tracex/recorder/internal/perfetto/calls"}, []string{"net/http"}},
	// The wrapper of a build's tools is started many times in a build.
	{"tracex/recorder/instrument/rewrite", nil, append([]string{"os/exec", "golang.org/"}, heavy...)},
	{"tracex/recorder/instrument/wrapper", []string{"tracex/recorder/instrument/rewrite"}, append([]string{"golang.org/"}, heavy...)},
	// For programs of Go 1.27 it reads what packages export, by go/importer, which imports crypto.
	{"tracex/recorder/instrument/toolexec", []string{"tracex/recorder/instrument/rewrite", "tracex/recorder/instrument/wrapper"}, append([]string{"golang.org/"}, heavyButCrypto...)},
}

// heavy lists packages that make a program large.
var (
	heavy          = append([]string{"crypto"}, heavyButCrypto...)
	heavyButCrypto = []string{"net", "log", "google.golang.org/", "github.com/klauspost/"}
)

// borderFaults returns the borders within the recorder that a package crosses.
func borderFaults(p goPackage) (faults []string) {
	const internal, protocol = "tracex/recorder/internal/", "tracex/recorder/internal/perfetto/"
	within := func(rule, name string) bool {
		if rule == internal && strings.HasPrefix(name, protocol) {
			return false // packages that speak the protocol have their own rules
		}
		return name == rule || strings.HasSuffix(rule, "/") && strings.HasPrefix(name, rule)
	}
	for _, b := range borders {
		if !within(b.pkg, p.ImportPath) {
			continue
		}
		for _, dep := range p.Deps {
			of := func(rule string) bool { return within(rule, dep) }
			if within("tracex/recorder/", dep+"/") && !slices.ContainsFunc(b.knows, of) {
				faults = append(faults, p.ImportPath+" must not know "+dep)
			}
			for _, ban := range b.bans {
				if within(strings.TrimSuffix(ban, "/")+"/", dep+"/") {
					faults = append(faults, p.ImportPath+" must not use "+dep)
				}
			}
		}
		return faults
	}
	if strings.HasPrefix(p.ImportPath, protocol) {
		faults = append(faults, p.ImportPath+": no border says what it may know")
	}
	return faults
}

type goPackage struct {
	ImportPath string
	Deps       []string // all direct and indirect ones, without those of tests
}

// TestImportDirection checks the direction of the dependencies.
func TestImportDirection(t *testing.T) {
	packages := listPackages(t)
	for _, name := range []string{"tracex", "tracex/cli", "tracex/ui", "tracex/lazy", "tracex/format", "tracex/format/formattest", "tracex/recorder"} {
		if !slices.ContainsFunc(packages, func(p goPackage) bool { return p.ImportPath == name }) {
			t.Errorf("there is no package %s: the rules say nothing", name)
		}
	}
	for _, p := range packages {
		for _, fault := range append(directionFaults(p), borderFaults(p)...) {
			t.Error(fault)
		}
	}
	for _, b := range borders {
		if !slices.ContainsFunc(packages, func(p goPackage) bool { return strings.HasPrefix(p.ImportPath+"/", strings.TrimSuffix(b.pkg, "/")+"/") }) {
			t.Errorf("there is no package %s: its border says nothing", b.pkg)
		}
	}
}

// TestBordersFindFaults shows that the rules of borders can fail.
func TestBordersFindFaults(t *testing.T) {
	for _, p := range []goPackage{
		{"tracex/recorder", []string{"tracex/recorder/internal/perfetto/ipc"}},
		{"tracex/recorder", []string{"tracex/recorder/shared"}},
		{"tracex/recorder", []string{"net/http"}},
		{"tracex/recorder", []string{"crypto"}},
		{"tracex/recorder", []string{"google.golang.org/protobuf/encoding/protowire"}},
		{"tracex/recorder/internal/buffers", []string{"tracex/recorder"}},
		{"tracex/recorder/internal/clock", []string{"tracex/recorder/internal/buffers"}},
		{"tracex/recorder/shared", []string{"tracex/recorder"}},
		{"tracex/recorder/shared", []string{"tracex/recorder/perfetto/service"}},
		{"tracex/recorder", []string{"tracex/recorder/internal/perfetto/smb"}},
		{"tracex/recorder/internal/buffers", []string{"tracex/recorder/internal/perfetto/calls"}},
		{"tracex/recorder/internal/perfetto/unheardof", nil},
		{"tracex/recorder/internal/perfetto/smb", []string{"net"}},
		{"tracex/recorder/internal/perfetto/ipc", []string{"tracex/recorder/internal/perfetto/smb"}},
		{"tracex/recorder/perfetto/service", []string{"tracex/recorder/internal/perfetto/calls"}},
		{"tracex/recorder/convert/perfetto", []string{"tracex/recorder/perfetto/service"}},
		{"tracex/recorder/convert/instrumented", []string{"tracex/recorder/convert/calltrace", "tracex/recorder/convert/fit", "tracex/recorder/convert/spool", "tracex/recorder"}},
		{"tracex/recorder/convert/importer", []string{"tracex/recorder/recording"}},
	} {
		if len(borderFaults(p)) == 0 {
			t.Errorf("nothing found wrong with %s that imports %v", p.ImportPath, p.Deps)
		}
	}
	allowed := goPackage{"tracex/recorder", []string{"tracex/format", "tracex/recorder/internal/sink", "fmt", "runtime/debug"}}
	if faults := borderFaults(allowed); len(faults) > 0 {
		t.Errorf("what is allowed is a fault: %q", faults)
	}
}

// TestImportDirectionFindsFaults shows that the rules can fail.
func TestImportDirectionFindsFaults(t *testing.T) {
	for _, p := range []goPackage{
		{"tracex/format", []string{"tracex/lazy"}},
		{"tracex/format", []string{"fmt", "github.com/spf13/cobra"}},
		{"tracex/lazy", []string{"tracex/format", "tracex/ui"}},
		{"tracex/lazy", []string{"charm.land/bubbletea/v2"}},
		{"tracex/lazy", []string{"tracex/lazy/eager"}},
		{"tracex/lazy/query/pattern", []string{"tracex/ui/internal/screen"}},
		{"tracex/lazy/query/pattern", []string{"charm.land/lipgloss/v2"}},
		{"tracex/lazy/eager", []string{"tracex/lazy"}},
		{"tracex/lazy/eager", []string{"tracex/lazy/internal/index"}},
		{"tracex/lazy/internal/mapped", []string{"tracex/lazy/internal/fold"}},
		{"tracex/lazy/internal/fold", []string{"tracex/lazy/internal/mapped"}},
		{"tracex/lazy/internal/index", []string{"tracex/lazy"}},
		{"tracex/lazy/internal/index", []string{"tracex/lazy/internal/times"}},
		{"tracex/lazy/internal/times", []string{"tracex/lazy/internal/index"}},
		{"tracex/lazy/internal/lines", []string{"tracex/lazy/internal/index"}},
		{"tracex/lazy/internal/trace", []string{"tracex/lazy/internal/walk"}},
		{"tracex/lazy/internal/trace", []string{"tracex/lazy"}},
		{"tracex/lazy/internal/walk", []string{"tracex/lazy"}},
		{"tracex/recorder", []string{"tracex/lazy"}},
		{"tracex/recorder/internal/perfetto/smb", []string{"tracex/ui"}},
		{"tracex/recorder/convert/spool", []string{"tracex/format"}},
		{"tracex/recorder/convert/spool", []string{"tracex/recorder/convert/perfetto"}},
		{"tracex/ui", []string{"tracex/cli"}},
		{"tracex/ui", []string{"tracex/format/formattest"}},
		{"tracex/ui", []string{"tracex"}},
		{"tracex/ui/internal/screen", []string{"tracex/ui/internal/tree"}},
		{"tracex/ui/internal/tree", []string{"tracex/ui"}},
		{"tracex/ui/internal/tree", []string{"tracex/ui/internal/search"}},
		{"tracex/ui/internal/tree", []string{"tracex/ui/internal/uitest"}},
		{"tracex/ui/internal/unheardof", nil},
		{"tracex", []string{"testing"}},
		{"tracex/utils", nil},
		{"tracex/ui/common", nil},
	} {
		if len(directionFaults(p)) == 0 {
			t.Errorf("nothing found wrong with %s that imports %v", p.ImportPath, p.Deps)
		}
	}
}

func directionFaults(p goPackage) (faults []string) {
	last := p.ImportPath[strings.LastIndex(p.ImportPath, "/")+1:]
	if slices.Contains([]string{"utils", "util", "common", "types", "helpers"}, last) {
		faults = append(faults, p.ImportPath+": a name that says nothing")
	}
	rules := layers
	if rule, ok := partRule(p.ImportPath); ok {
		rules = []layer{rule}
	}
	for _, l := range rules {
		part := l.pkg == "tracex/ui" && strings.HasPrefix(p.ImportPath, "tracex/ui/internal/") // has a rule of its own
		if p.ImportPath != l.pkg && (part || l.pkg == "tracex" || !strings.HasPrefix(p.ImportPath, l.pkg+"/")) {
			continue
		}
		for _, dep := range p.Deps {
			ours := dep == "tracex" || strings.HasPrefix(dep, "tracex/")
			below := l.pkg != "tracex" && strings.HasPrefix(dep, l.pkg+"/") && !strings.HasSuffix(dep, "test")
			switch {
			case ours && dep != l.pkg && !below && !slices.Contains(l.knows, dep) && !knowsFolder(l.knows, dep):
				faults = append(faults, p.ImportPath+" must not know "+dep)
			case slices.ContainsFunc(l.bans, func(ban string) bool { return dep == ban || strings.HasPrefix(dep, ban) }):
				faults = append(faults, p.ImportPath+" must not use "+dep)
			}
		}
		return faults
	}
	return append(faults, p.ImportPath+": no rule says what it may know")
}

// knowsFolder reports whether dep is below a package that may be imported, and is not only for tests.
func knowsFolder(knows []string, dep string) bool {
	return !strings.HasSuffix(dep, "test") &&
		slices.ContainsFunc(knows, func(k string) bool { return strings.HasPrefix(dep, k+"/") })
}

func listPackages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps=false", "-json=ImportPath,Deps", "./...").Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	var packages []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		switch err := d.Decode(&p); {
		case err == io.EOF:
			return packages
		case err != nil:
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}
