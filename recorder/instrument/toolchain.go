package instrument

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tracex/recorder/instrument/wrapper"
)

// Toolchain is what a go command builds with.
type Toolchain struct {
	Go      string // the command
	Version string // "go1.26.8"
	Root    string
	OS      string
	Arch    string
	// Build are the settings on which an archive depends, as name=value.
	Build    []string
	hostOS   string
	hostArch string
	flags    string // the user's GOFLAGS
}

// Tools are the programs and archives that instrument the builds of a toolchain.
type Tools struct {
	Wrapper string // the program for -toolexec
	Archive string // position-independent code takes Archive+SharedSuffix
	// Stamp marks what is built with these tools. Each set of tools has a different one.
	Stamp string
	// Missing lists fields of the runtime that this version of Go lacks, or that failed the
	// self-check. What depends on them is not recorded.
	Missing []string
	// Never lists packages that must not be instrumented: the runtime, and what it imports.
	Never []string
}

// SharedSuffix is added to the path of an archive for position independent code.
const SharedSuffix = ".shared"

// An Unsupported is why programs of a toolchain cannot be recorded.
type Unsupported struct{ What, Needs string }

func (u *Unsupported) Error() string { return u.What + " cannot be recorded" }

// Hint says which programs can be recorded.
func (u *Unsupported) Hint() string { return u.Needs }

// supported returns an error unless programs can be recorded.
func (t *Toolchain) supported() error {
	if t.OS != "linux" || t.Arch != "amd64" && t.Arch != "arm64" {
		return &Unsupported{"programs for " + t.OS + "/" + t.Arch, "those for linux/amd64 and linux/arm64 can"}
	}
	minor, ok := strings.CutPrefix(t.Version, "go1.")
	if minor, _, _ = strings.Cut(minor, "."); ok {
		if n, err := strconv.Atoi(strings.TrimRight(minor, "abcdefghijklmnopqrstuvwxyz-+: ")); err == nil && n < oldest {
			return &Unsupported{"programs built with " + t.Version, fmt.Sprintf("Go 1.%d or newer is needed", oldest)}
		}
	}
	return nil
}

// oldest is the oldest release 1.N of Go whose programs can be recorded.
const oldest = 25

// FindToolchain asks the go command of a command line what it builds with. The error is an
// *Unsupported if such programs cannot be recorded.
func FindToolchain(ctx context.Context, commandLine []string) (*Toolchain, error) {
	command, args := commandLine[0], []string{"env"}
	if at := place(commandLine); at > 1 {
		args = append(args, commandLine[1:at]...)
	} else if rest := commandLine[min(at+1, len(commandLine)):]; len(rest) > 1 && strings.TrimLeft(rest[0], "-") == "C" {
		args = append(args, rest[:2]...)
	} else if len(rest) > 0 && strings.HasPrefix(strings.TrimLeft(rest[0], "-"), "C=") {
		args = append(args, rest[0])
	}
	names := []string{"GOVERSION", "GOROOT", "GOOS", "GOARCH", "GOHOSTOS", "GOHOSTARCH", "GOFLAGS", "GOAMD64", "GOARM64", "GOEXPERIMENT", "GOFIPS140"}
	c := exec.CommandContext(ctx, command, append(append(args, "-json"), names...)...)
	out, err := output(c)
	if err != nil {
		return nil, err
	}
	env := map[string]string{}
	if err := json.Unmarshal(out, &env); err != nil {
		return nil, fmt.Errorf("%s env: %w", command, err)
	}
	t := &Toolchain{
		Go: command, Version: env["GOVERSION"], Root: env["GOROOT"], OS: env["GOOS"], Arch: env["GOARCH"],
		hostOS: env["GOHOSTOS"], hostArch: env["GOHOSTARCH"], flags: env["GOFLAGS"],
	}
	for _, name := range names[7:] {
		if env[name] != "" {
			t.Build = append(t.Build, name+"="+env[name])
		}
	}
	return t, t.supported()
}

// place returns the index of the subcommand, which may be that of no argument.
func place(command []string) int {
	switch {
	case len(command) > 2 && command[1] == "-C":
		return 3
	case len(command) > 1 && strings.HasPrefix(command[1], "-C="):
		return 2
	}
	return 1
}

// subcommand returns the index of the subcommand, 0 if that does not build.
func subcommand(command []string) int {
	at := place(command)
	if at < len(command) && slices.Contains([]string{"build", "install", "run", "test"}, command[at]) || toolNamed(command) > 0 {
		return at
	}
	return 0
}

// host reports whether what is built runs on this machine.
func (t *Toolchain) host() bool { return t.OS == t.hostOS && t.Arch == t.hostArch }

// command returns a go command that does not see the user's flags, workspace or module. It is the
// one that builds the user's program: Go itself may have chosen another release than the one that
// is installed.
func (t *Toolchain) command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	program := filepath.Join(t.Root, "bin", "go")
	if _, err := exec.LookPath(program); err != nil {
		program = t.Go
	}
	c := exec.CommandContext(ctx, program, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GO111MODULE=on", "GOTOOLCHAIN=local", "PWD="+dir)
	return c
}

// output runs a command and returns its standard output. The error includes its standard error.
func output(c *exec.Cmd) ([]byte, error) {
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) || err != nil && said.Len() > 0 {
		return nil, fmt.Errorf("%s: %w: %s", strings.Join(c.Args, " "), err, strings.TrimSpace(said.String()))
	}
	return out, err
}

// userFlags has the user's flags that matter for a plan.
type userFlags struct {
	gcflags  []gcflag
	packages []string // named on the command line
	lists    []string // flags on which it depends what go list lists
	end      int      // where the flags, with those after packages, end
	toolexec bool
	counts   bool // -count
	compiles bool // -c: nothing runs
}

// gcflag is a -gcflags: for the packages of a pattern, or those on the command line if it is "".
type gcflag struct{ pattern, flags string }

func parseGcflags(v string) gcflag {
	v = strings.TrimSpace(v)
	if strings.HasPrefix(v, "-") || v == "" {
		return gcflag{"", v}
	}
	pattern, flags, _ := strings.Cut(v, "=")
	return gcflag{strings.TrimSpace(pattern), flags}
}

// gcflags returns the -gcflags among flags in the form of GOFLAGS.
func gcflags(flags []string) (list []gcflag) {
	for _, f := range flags {
		f = strings.Trim(f, `'"`)
		if v, ok := strings.CutPrefix("-"+strings.TrimLeft(f, "-"), "-gcflags="); ok {
			list = append(list, parseGcflags(v))
		}
	}
	return list
}

// booleans are flags of go build, run and test that take no value of their own.
var booleans = strings.Fields("a n race msan asan cover v work x buildvcs linkshared modcacherw trimpath i json c benchmem short failfast fullpath artifacts")

// flagsOf reads the arguments of a subcommand. Only go test takes flags after packages, and passes
// those that it does not know to the test. The value of such a flag may be taken for a package here.
// That does no harm: packages matter only with -gcflags, and go list then reports the mistake.
func flagsOf(sub string, args []string) (u userFlags) {
	for u.end = 0; u.end < len(args); u.end++ {
		a := args[u.end]
		if a == "--" || a == "-args" || a == "--args" {
			return u
		}
		if !strings.HasPrefix(a, "-") || a == "-" {
			if sub != "test" {
				u.packages = args[u.end:]
				if sub == "run" {
					u.packages = programOf(u.packages)
				}
				return u
			}
			u.packages = append(u.packages, a)
			continue
		}
		name, value, has := strings.Cut(strings.TrimLeft(a, "-"), "=")
		name = strings.TrimPrefix(name, "test.")
		if !has && !slices.Contains(booleans, name) && u.end+1 < len(args) {
			u.end++
			value = args[u.end]
		}
		switch name {
		case "gcflags":
			u.gcflags = append(u.gcflags, parseGcflags(value))
		case "tags", "mod", "modfile", "overlay":
			u.lists = append(u.lists, "-"+name+"="+value)
		case "toolexec":
			u.toolexec = true
		case "count":
			u.counts = true
		case "c":
			u.compiles = !has || value == "true" || value == "1"
		}
	}
	return u
}

// programOf returns what go run builds: files, or one package. The rest is for the program.
func programOf(args []string) []string {
	n := 0
	for n < len(args) && strings.HasSuffix(args[n], ".go") {
		n++
	}
	return args[:max(n, 1)]
}

// merged returns a flag for each package that is to be instrumented: with the user's flags for it,
// and the stamp.
func (t *Toolchain) merged(ctx context.Context, head []string, given []gcflag, patterns, named []string, stamp string) ([]string, error) {
	list := func(pattern string) ([]string, error) {
		args := []string{"list", "-f", "{{.ImportPath}}"}
		if i := slices.Index(head, "-C"); i >= 0 {
			args = append([]string{"list", "-C", head[i+1]}, args[1:]...)
		}
		if pattern == "" {
			args = append(args, named...)
		} else {
			args = append(args, pattern)
		}
		c := t.command(ctx, "", args...)
		c.Env = os.Environ()
		out, err := output(c)
		return strings.Fields(string(out)), err
	}
	var order []string
	flags := map[string]string{}
	for _, pattern := range patterns {
		packages, err := list(pattern)
		if err != nil {
			return nil, err
		}
		for _, p := range packages {
			if _, ok := flags[p]; !ok {
				order = append(order, p)
				flags[p] = ""
			}
		}
	}
	for _, g := range given {
		packages, err := list(g.pattern)
		if err != nil {
			return nil, err
		}
		for _, p := range packages {
			if _, ok := flags[p]; ok {
				flags[p] = g.flags + " "
			}
		}
	}
	var out []string
	for _, p := range order {
		out = append(out, "-gcflags="+p+"="+flags[p]+stamp, "-gcflags="+p+"_test="+flags[p]+stamp)
	}
	return out, nil
}

// Built reports whether a program, by its path or its name in $PATH, was built to record.
func Built(program string) bool {
	path, err := exec.LookPath(program)
	if err != nil {
		return false
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return false
	}
	for _, s := range info.Settings {
		if s.Key == "-gcflags" && strings.Contains(s.Value, wrapper.Flag) {
			return true
		}
	}
	return false
}
