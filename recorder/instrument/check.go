package instrument

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"tracex/recorder/instrument/raw"
)

// selfCheck builds and runs a program that tests the archive whose sources are in dir/src. It
// returns the checks that failed, by name, with what the program says about each. It checks nothing
// if the toolchain's programs do not run on this machine.
func selfCheck(ctx context.Context, t *Toolchain, dir string) (bad map[string]string, err error) {
	if !t.host() {
		return nil, nil
	}
	check := filepath.Join(dir, "check")
	files := map[string][]byte{"go.mod": []byte("module tracex\n\ngo 1.24\n\nrequire " + ArchivePath + " v0.0.0\n\nreplace " + ArchivePath + " => ../src\n")}
	for _, pkg := range []string{"selfcheck", "raw"} {
		if err := read(files, pkg, path.Join("recorder/instrument", pkg)); err != nil {
			return nil, err
		}
	}
	if err := write(check, files); err != nil {
		return nil, err
	}
	program := filepath.Join(check, "program")
	if _, err := output(t.command(ctx, check, "build", "-tags=tracexrt", "-buildvcs=false", "-o", program, "./recorder/instrument/selfcheck")); err != nil {
		return nil, fmt.Errorf("the program that checks the recorder does not compile with %s: %w", t.Version, err)
	}
	folder := filepath.Join(check, "raw")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, program, "an argument of the process")
	c.Env = append(os.Environ(), raw.FolderVariable+"="+folder, raw.OptionsVariable+"=", "GODEBUG=", "GOTRACEBACK=single")
	out, err := output(c)
	if err != nil {
		return nil, fmt.Errorf("the runtime of %s is not understood: the program that checks the recorder failed: %w", t.Version, err)
	}
	bad = map[string]string{}
	said := 0
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		said++
		if text, ok := strings.CutPrefix(lines.Text(), "bad "); ok {
			name, what, _ := strings.Cut(text, ": ")
			bad[name] = what
		}
	}
	if said == 0 {
		return nil, fmt.Errorf("the runtime of %s is not understood: the program that checks the recorder printed nothing", t.Version)
	}
	return bad, os.RemoveAll(check)
}

// remedies lists the fields to leave out if a check fails. A check without a remedy must not fail.
var remedies = map[string][]string{
	"goroutines": {"g.ancestors"},
	"parents":    {"g.parentGoid"},
	"places":     {"g.gopc", "g.startpc"},
	"callers":    {"_func.funcID"},
	"objects":    {"mspan.allocBits"},
	"panic":      {"g._panic"},
	"goexit":     {"g._panic"},
}

// without returns the further fields to leave out, given the checks that failed. It returns an error
// if leaving out fields cannot help.
func (t *Toolchain) without(bad map[string]string, already []string) ([]string, error) {
	var more []string
	for _, name := range slices.Sorted(maps.Keys(bad)) {
		for _, field := range remedies[name] {
			if !slices.Contains(already, field) && !slices.Contains(more, field) {
				more = append(more, field)
			}
		}
	}
	if len(more) > 0 || len(bad) == 0 {
		return more, nil
	}
	var what []string
	for _, name := range slices.Sorted(maps.Keys(bad)) {
		what = append(what, name+": "+bad[name])
	}
	return nil, fmt.Errorf("the runtime of %s is not understood (%s)", t.Version, strings.Join(what, "; "))
}
