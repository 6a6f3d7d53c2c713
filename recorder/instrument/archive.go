package instrument

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tracex/recorder/instrument/raw"
)

// sources has the sources of the archive that is linked into programs, and of the wrapper.
//
//go:embed tracexrt/*.go tracexrt/*.s raw/*.go selfcheck/*.go rewrite/*.go wrapper/*.go toolexec/*.go
var sources embed.FS

// ArchivePath is the import path of the archive.
const ArchivePath = "tracexrt"

// MakeTools makes the tools for a toolchain, or finds them in a cache.
func MakeTools(ctx context.Context, t *Toolchain) (*Tools, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("the tools for instrumenting need a folder: %w", err)
	}
	stamp := stampOf(t)
	dir := filepath.Join(cache, "tracex", "instrument", stamp)
	tools := toolsIn(dir)
	if tools.use(dir) == nil {
		return tools, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return nil, err
	}
	// Renaming the finished folder into place lets other processes see all or nothing.
	temp, err := os.MkdirTemp(filepath.Dir(dir), makingPrefix)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	// Leave out fields that turn out not to be what the runtime's source says.
	for {
		if err := makeArchive(ctx, t, temp, tools); err != nil {
			return nil, err
		}
		bad, err := selfCheck(ctx, t, temp)
		if err != nil {
			return nil, err
		}
		more, err := t.without(bad, tools.Missing)
		if err != nil {
			return nil, err
		}
		if len(more) == 0 {
			break
		}
		tools.Missing = append(tools.Missing, more...)
	}
	if err := makeWrapper(ctx, t, temp); err != nil {
		return nil, err
	}
	if err := tools.save(temp); err != nil {
		return nil, err
	}
	// If the rename fails, another process was first.
	if err, used := os.Rename(temp, dir), tools.use(dir); used != nil {
		return nil, cmp.Or(err, used)
	}
	removeUnused(filepath.Dir(dir), time.Now())
	return tools, nil
}

// toolsIn returns the tools in a folder, which is named after their stamp. They need not exist.
func toolsIn(dir string) *Tools {
	return &Tools{Wrapper: filepath.Join(dir, "toolexec"), Archive: filepath.Join(dir, "tracexrt.a"), Stamp: filepath.Base(dir)}
}

// stampOf returns a hash of everything that affects a compiled instrumented package, except its
// own sources and options.
func stampOf(t *Toolchain) string {
	h := sha256.New()
	fmt.Fprintln(h, t.Version, t.Root, t.OS, t.Arch, t.Build)
	_ = fs.WalkDir(sources, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, "_test.go") {
			return err
		}
		b, err := sources.ReadFile(name)
		fmt.Fprintln(h, name, len(b))
		h.Write(b)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)[:10])
}

// makeArchive compiles the archive into a folder.
func makeArchive(ctx context.Context, t *Toolchain, dir string, tools *Tools) error {
	offsets, err := runtimeOffsets(ctx, t, tools)
	if err != nil {
		return err
	}
	src := filepath.Join(dir, "src")
	files := map[string][]byte{"offsets.go": offsets, "go.mod": []byte("module " + ArchivePath + "\n\ngo 1.24\n")}
	if err := read(files, "tracexrt", ""); err != nil {
		return err
	}
	layout, err := sources.ReadFile("raw/layout.go")
	if err != nil {
		return err
	}
	files["layout.go"] = bytes.Replace(layout, []byte("package raw"), []byte("package tracexrt"), 1)
	if err := write(src, files); err != nil {
		return err
	}
	for _, shared := range []bool{false, true} {
		out := filepath.Join(dir, "tracexrt.a")
		args := []string{"build", "-trimpath", "-buildvcs=false", "-tags=tracexrt"}
		if shared {
			out += SharedSuffix
			args = append(args, "-gcflags=-shared", "-asmflags=-shared")
		}
		if _, err := output(t.command(ctx, src, append(args, "-o", out, ".")...)); err != nil {
			return fmt.Errorf("the recorder for programs does not compile with %s: %w", t.Version, err)
		}
	}
	return nil
}

// makeWrapper compiles the wrapper into a folder.
func makeWrapper(ctx context.Context, t *Toolchain, dir string) error {
	src := filepath.Join(dir, "wrapper")
	files := map[string][]byte{"go.mod": []byte("module tracex\n\ngo 1.24\n")}
	for _, pkg := range []string{"rewrite", "wrapper", "toolexec"} {
		if err := read(files, pkg, path.Join("recorder/instrument", pkg)); err != nil {
			return err
		}
	}
	if err := write(src, files); err != nil {
		return err
	}
	c := t.command(ctx, src, "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", filepath.Join(dir, "toolexec"), "./recorder/instrument/toolexec")
	c.Env = append(c.Env, "GOOS="+t.hostOS, "GOARCH="+t.hostArch, "CGO_ENABLED=0", "GOEXPERIMENT=")
	if _, err := output(c); err != nil {
		return fmt.Errorf("the wrapper of the compiler cannot be built: %w", err)
	}
	return nil
}

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
	"entries":    {"Map.dirPtr"},
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

// read reads the sources of a package, without its tests.
func read(files map[string][]byte, pkg, as string) error {
	list, err := sources.ReadDir(pkg)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(d fs.DirEntry) bool { return strings.HasSuffix(d.Name(), "_test.go") })
	for _, d := range list {
		if files[path.Join(as, d.Name())], err = sources.ReadFile(path.Join(pkg, d.Name())); err != nil {
			return err
		}
	}
	return nil
}

// write writes files below a folder.
func write(dir string, files map[string][]byte) error {
	for name, b := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(at, b, 0o666); err != nil {
			return err
		}
	}
	return nil
}
