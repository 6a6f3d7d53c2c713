package instrument

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"
	"strings"

	"tracex/recorder/instrument/rewrite"
	"tracex/recorder/instrument/wrapper"
)

// Options are the user's choices for a build. The zero Options leave out functions of tests and
// trivial ones.
type Options struct {
	// Packages are patterns of the packages to instrument, as in -gcflags of go build. The default
	// is the packages of the main modules and those named on the command line.
	Packages []string
	Tests    bool   // functions in _test.go files, too
	Trivial  bool   // small functions that call nothing, or only pass on their arguments, too
	Waits    bool   // where goroutines wait; Go's own packages are built once more for that
	Report   string // a directory for reports of what was instrumented, see wrapper.Report; "" for none
	Folder   string // a directory for a program that the command runs and does not keep
}

// A Plan is a go command that instruments what it builds.
type Plan struct {
	Args []string // with the name of the command
	Env  []string // to add to the environment
	// Runs reports whether the command runs what it builds, and Several whether that may be
	// several programs.
	Runs, Several bool
	// Build is a command to run before, with the same environment, and Dir is where Args run: "" for where tracex does.
	Build []string
	Dir   string
}

// Is reports whether a command is a go command that builds: build, install, run, test, or tool with the name of one.
func Is(command []string) bool { return isGo(command) && subcommand(command) > 0 }

// IsInside reports whether a command is a go command that runs others: generate.
func IsInside(command []string) bool {
	at := place(command)
	return isGo(command) && at < len(command) && command[at] == "generate"
}

func isGo(command []string) bool {
	return len(command) > 1 && strings.TrimSuffix(filepath.Base(command[0]), ".exe") == "go"
}

// IsTest reports whether a command that [Is] accepts runs tests.
func IsTest(command []string) bool { return Is(command) && command[subcommand(command)] == "test" }

// isSeveral reports whether a pattern of packages may be more than one.
func isSeveral(pattern string) bool {
	return strings.Contains(pattern, "...") || slices.Contains([]string{"all", "cmd", "std", "tool", "work"}, pattern)
}

// ErrToolexec: the command has a -toolexec of its own.
var ErrToolexec = errors.New("-toolexec is what instruments the program: it cannot have another one")

// Make makes a plan for a command that [Is] has accepted.
func Make(ctx context.Context, t *Toolchain, tools *Tools, command []string, o Options) (*Plan, error) {
	if toolNamed(command) > 0 {
		return makeTool(ctx, t, tools, command, o)
	}
	at := subcommand(command)
	sub, rest := command[at], command[at+1:]
	head := slices.Clone(command[:at+1])
	// -C must stay the first flag.
	if len(rest) > 1 && (rest[0] == "-C" || rest[0] == "--C") {
		head, rest = append(head, rest[:2]...), rest[2:]
	} else if len(rest) > 0 && (strings.HasPrefix(rest[0], "-C=") || strings.HasPrefix(rest[0], "--C=")) {
		head, rest = append(head, rest[0]), rest[1:]
	}
	user := flagsOf(sub, rest)
	inherited := strings.Fields(t.flags)
	if user.toolexec || slices.ContainsFunc(inherited, func(f string) bool { return strings.HasPrefix(strings.TrimLeft(f, "-'\""), "toolexec") }) {
		return nil, ErrToolexec
	}
	p := &Plan{Runs: sub == "run" || sub == "test" && !user.compiles}
	p.Several = p.Runs && sub == "test" && (len(user.packages) > 1 || slices.ContainsFunc(user.packages, isSeveral))
	own := []string{"-toolexec=" + quoted(tools.Wrapper)}
	if sub == "test" && !user.counts {
		own = append(own, "-count=1") // a cached test result has no calls
	}
	stamp := tools.stamp(o)
	patterns := o.Packages
	if len(patterns) == 0 {
		patterns = []string{"", "work"}
	}
	given := append(gcflags(inherited), user.gcflags...)
	if len(given) == 0 {
		for _, pattern := range patterns {
			own = append(own, "-gcflags="+prefixed(pattern, stamp))
		}
		for _, pattern := range o.waitPackages() {
			own = append(own, "-gcflags="+prefixed(pattern, tools.waitStamp()))
		}
		p.Args = slices.Concat(head, own, rest)
	} else {
		flags, err := t.merged(ctx, head, given, patterns, user.packages, stamp)
		if err != nil {
			return nil, err
		}
		if len(o.waitPackages()) > 0 {
			more, err := t.merged(ctx, head, given, o.waitPackages(), user.packages, tools.waitStamp())
			if err != nil {
				return nil, err
			}
			flags = append(flags, more...)
		}
		// Of several flags that name a package the last one counts.
		p.Args = slices.Concat(head, own, rest[:user.end], flags, rest[user.end:])
	}
	p.Env = tools.environment(o, t.names(ctx, folder(head), user, patterns))
	return p, nil
}

// folder returns the value of -C among the flags before a subcommand's others; "" if it is not given.
func folder(head []string) string {
	for i, a := range head {
		if v, ok := strings.CutPrefix("-"+strings.TrimLeft(a, "-"), "-C="); ok {
			return v
		}
		if (a == "-C" || a == "--C") && i+1 < len(head) {
			return head[i+1]
		}
	}
	return ""
}

// Inside makes a plan for a command that runs go itself, such as make. The flags are in GOFLAGS, so
// they apply to every go command that this command or the built programs run.
func Inside(ctx context.Context, t *Toolchain, tools *Tools, command []string, o Options) (*Plan, error) {
	inherited := strings.Fields(t.flags)
	if slices.ContainsFunc(inherited, func(f string) bool { return strings.HasPrefix(strings.TrimLeft(f, "-'\""), "toolexec") }) {
		return nil, ErrToolexec
	}
	patterns := o.Packages
	if len(patterns) == 0 {
		patterns = []string{"", "work"}
	}
	words := []string{t.flags, goFlag("-toolexec=" + quoted(tools.Wrapper)), "-count=1"}
	for _, pattern := range patterns {
		words = append(words, goFlag("-gcflags="+prefixed(pattern, tools.stamp(o))))
	}
	for _, pattern := range o.waitPackages() {
		words = append(words, goFlag("-gcflags="+prefixed(pattern, tools.waitStamp())))
	}
	dir := ""
	if isGo(command) {
		dir = folderOf(command)
	}
	return &Plan{Args: command, Env: append(tools.environment(o, t.names(ctx, dir, userFlags{}, o.Packages)), "GOFLAGS="+strings.TrimSpace(strings.Join(words, " "))), Runs: true, Several: true}, nil
}

// goFlag returns a flag in the form of GOFLAGS.
func goFlag(flag string) string {
	if !strings.ContainsAny(flag, " \t'\"") {
		return flag
	}
	if !strings.Contains(flag, "'") {
		return "'" + flag + "'"
	}
	return `"` + flag + `"`
}

// stamp is the compiler flag that marks a package for instrumentation. It changes with everything
// that affects the compiled package.
func (t *Tools) stamp(o Options) string {
	h := fnv.New64a()
	fmt.Fprint(h, t.Stamp, o.wrapper())
	return fmt.Sprintf("%s%s%016x", wrapper.Flag, t.Stamp, h.Sum64())
}

// waitStamp is the same for the packages of waitPackages, which no other option changes.
func (t *Tools) waitStamp() string { return t.stamp(Options{Waits: true}) }

// waitPackages returns the packages that tell where goroutines wait.
func (o Options) waitPackages() []string {
	if !o.Waits {
		return nil
	}
	return rewrite.WaitPackages()
}

func (o Options) wrapper() wrapper.Options {
	return wrapper.Options{Tests: o.Tests, Trivial: o.Trivial, Waits: o.Waits}
}

// environment is what the wrapper needs to know.
func (t *Tools) environment(o Options, names string) []string {
	return wrapper.Settings{Archive: t.Archive, Options: o.wrapper(), Never: t.Never, Report: o.Report, Names: names}.Environ()
}

// quoted quotes a path for a flag whose value the go command splits at spaces.
func quoted(path string) string {
	if !strings.ContainsAny(path, " \t'\"") {
		return path
	}
	if !strings.Contains(path, "'") {
		return "'" + path + "'"
	}
	return `"` + path + `"`
}

func prefixed(pattern, flags string) string {
	if pattern == "" {
		return flags
	}
	return pattern + "=" + flags
}
