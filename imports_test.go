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

// layers are the packages of the project and what each may know of the others:
// main → cli → ui → lazy → format ← recorder. The first rule whose name is the
// package's, or that of a directory above it, holds.
var layers = []struct {
	pkg   string
	knows []string // packages of the project, besides those below its own directory
	bans  []string // beginnings of other import paths
}{
	// The parts of the screen do not know the explorer, nor each other but for these.
	{"tracex/ui/internal/uitest", []string{"tracex/lazy", "tracex/format", "tracex/format/formattest"}, nil},
	{"tracex/ui/internal/screen", []string{"tracex/format"}, []string{"testing", "charm.land/"}},
	{"tracex/ui/internal/pattern", []string{"tracex/ui/internal/screen", "tracex/lazy", "tracex/format"}, []string{"testing", "charm.land/"}},
	{"tracex/ui/internal/prompt", []string{"tracex/ui/internal/screen", "tracex/ui/internal/pattern", "tracex/lazy", "tracex/format"}, []string{"testing"}},
	{"tracex/ui/internal/list", []string{"tracex/ui/internal/screen", "tracex/ui/internal/pattern", "tracex/lazy", "tracex/format"}, []string{"testing"}},
	{"tracex/ui/internal/clipboard", []string{"tracex/format"}, []string{"testing", "charm.land/"}},
	{"tracex/ui/internal/editor", nil, []string{"testing", "charm.land/"}},
	{"tracex/ui/internal/shell", nil, []string{"testing", "charm.land/"}},
	{"tracex/ui/internal/source", []string{"tracex/ui/internal/screen", "tracex/format"}, []string{"testing", "charm.land/"}},
	{"tracex/ui/internal/terminal", nil, []string{"testing"}},
	{"tracex/ui/internal/background", nil, []string{"testing"}},
	{"tracex/ui/internal/search", []string{"tracex/ui/internal/screen", "tracex/ui/internal/pattern", "tracex/ui/internal/list", "tracex/ui/internal/background", "tracex/lazy", "tracex/format"}, []string{"testing"}},
	{"tracex/ui/internal/nodetext", []string{"tracex/ui/internal/screen", "tracex/lazy", "tracex/format"}, []string{"testing", "charm.land/"}},
	{"tracex/ui/internal/details", []string{"tracex/ui/internal/screen", "tracex/ui/internal/nodetext", "tracex/ui/internal/source", "tracex/lazy", "tracex/format"}, []string{"testing", "charm.land/"}},
	{"tracex/ui/internal/status", []string{"tracex/ui/internal/screen", "tracex/lazy", "tracex/format"}, []string{"testing"}},
	{"tracex/ui/internal/history", []string{"tracex/lazy", "tracex/format"}, []string{"testing", "charm.land/"}},
	{"tracex/ui/internal/job", []string{"tracex/ui/internal/screen", "tracex/lazy", "tracex/format"}, []string{"testing", "charm.land/"}},
	{"tracex/ui/internal/counting", []string{"tracex/ui/internal/screen", "tracex/lazy", "tracex/format"}, []string{"testing"}},
	{"tracex/ui/internal/tour", []string{"tracex/ui/internal/screen", "tracex/format"}, []string{"testing", "charm.land/"}},
	{"tracex/ui/internal/help", []string{"tracex/ui/internal/list", "tracex/ui/internal/pattern", "tracex/ui/internal/screen", "tracex/lazy", "tracex/format"}, []string{"testing"}},
	{"tracex/ui", []string{"tracex/lazy", "tracex/format"}, []string{"testing"}},
	// The parts of the reader do not know it, nor each other but for these.
	{"tracex/lazy/internal/mapped", []string{"tracex/format"}, []string{"testing", "charm.land/"}},
	{"tracex/lazy/internal/fold", []string{"tracex/format"}, []string{"testing", "charm.land/"}},
	{"tracex/lazy/internal/index", []string{"tracex/lazy/internal/mapped", "tracex/format"}, []string{"testing", "charm.land/"}},
	{"tracex/lazy/internal/times", []string{"tracex/lazy/internal/mapped", "tracex/format"}, []string{"testing", "charm.land/"}},
	{"tracex/lazy/internal/lines", []string{"tracex/lazy/internal/times", "tracex/lazy/internal/mapped", "tracex/format"}, []string{"testing", "charm.land/"}},
	// The plain loader, with which the reader is compared, shares what they print.
	{"tracex/lazy/eager", []string{"tracex/lazy/internal/fold", "tracex/lazy/internal/lines", "tracex/lazy/internal/times", "tracex/lazy/internal/mapped", "tracex/format"}, []string{"testing", "charm.land/"}},
	{"tracex/lazy", []string{"tracex/format"}, []string{"testing", "charm.land/", "tracex/lazy/eager"}},
	{"tracex/recorder/perfetto/ipc/ipctest", []string{"tracex/recorder"}, []string{"charm.land/"}},
	{"tracex/recorder/convert/spool", nil, []string{"testing", "charm.land/", "github.com/", "google.golang.org/", "golang.org/"}},
	{"tracex/recorder/internal/versiontest", []string{"tracex/format", "tracex/format/formattest"}, []string{"charm.land/"}},
	{"tracex/recorder/internal/tracetest", []string{"tracex/recorder", "tracex/lazy", "tracex/format"}, []string{"testing", "charm.land/"}},
	{"tracex/recorder", []string{"tracex/format"}, []string{"testing", "charm.land/"}},
	{"tracex/format/formattest", []string{"tracex/format"}, []string{"charm.land/"}},
	{"tracex/format", nil, []string{"testing", "charm.land/", "github.com/", "golang.org/", "os/exec", "net"}},
	{"tracex/cli", []string{"tracex/ui", "tracex/lazy", "tracex/format", "tracex/recorder"}, []string{"testing"}},
	{"tracex", []string{"tracex/cli", "tracex/ui", "tracex/lazy", "tracex/format", "tracex/recorder"}, []string{"testing"}},
}

type goPackage struct {
	ImportPath string
	Deps       []string // all of them, direct or not, without those of tests
}

// TestImportDirection holds the direction of the dependencies.
func TestImportDirection(t *testing.T) {
	packages := listPackages(t)
	for _, name := range []string{"tracex", "tracex/cli", "tracex/ui", "tracex/lazy", "tracex/format", "tracex/format/formattest", "tracex/recorder"} {
		if !slices.ContainsFunc(packages, func(p goPackage) bool { return p.ImportPath == name }) {
			t.Errorf("there is no package %s: the rules say nothing", name)
		}
	}
	for _, p := range packages {
		for _, fault := range directionFaults(p) {
			t.Error(fault)
		}
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
		{"tracex/lazy/eager", []string{"tracex/lazy"}},
		{"tracex/lazy/eager", []string{"tracex/lazy/internal/index"}},
		{"tracex/lazy/internal/mapped", []string{"tracex/lazy/internal/fold"}},
		{"tracex/lazy/internal/fold", []string{"tracex/lazy/internal/mapped"}},
		{"tracex/lazy/internal/index", []string{"tracex/lazy"}},
		{"tracex/lazy/internal/index", []string{"tracex/lazy/internal/times"}},
		{"tracex/lazy/internal/times", []string{"tracex/lazy/internal/index"}},
		{"tracex/lazy/internal/lines", []string{"tracex/lazy/internal/index"}},
		{"tracex/recorder", []string{"tracex/lazy"}},
		{"tracex/recorder/perfetto/smb", []string{"tracex/ui"}},
		{"tracex/recorder/convert/spool", []string{"tracex/format"}},
		{"tracex/recorder/convert/spool", []string{"tracex/recorder/convert/perfetto"}},
		{"tracex/ui", []string{"tracex/cli"}},
		{"tracex/ui", []string{"tracex/format/formattest"}},
		{"tracex/ui", []string{"tracex"}},
		{"tracex/ui/internal/screen", []string{"tracex/lazy"}},
		{"tracex/ui/internal/pattern", []string{"tracex/ui"}},
		{"tracex/ui/internal/pattern", []string{"tracex/ui/internal/uitest"}},
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
	for _, l := range layers {
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

// knowsFolder reports whether dep lies below a package that may be known; the
// packages that are for tests alone may not.
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
