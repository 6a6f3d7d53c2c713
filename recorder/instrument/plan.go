package instrument

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tracex/recorder/instrument/wrapper"
)

// Options are the user's choices for a build. The zero Options leave out functions of tests and
// trivial ones.
type Options struct {
	// Packages are patterns of the packages to instrument, as in -gcflags of go build. The default
	// is the packages of the main modules and those named on the command line.
	Packages []string
	Tests    bool   // functions in _test.go files, too
	Trivial  bool   // functions of one or two statements without a call or loop, too
	Report   string // a directory for reports of what was instrumented, see wrapper.Report; "" for none
}

// A Plan is a go command that instruments what it builds.
type Plan struct {
	Args []string // with the name of the command
	Env  []string // to add to the environment
	// Runs reports whether the command runs what it builds, and Several whether that may be
	// several programs.
	Runs, Several bool
}

// Is reports whether a command is a go command that builds: build, install, run or test.
func Is(command []string) bool {
	return len(command) > 1 && strings.TrimSuffix(filepath.Base(command[0]), ".exe") == "go" && subcommand(command) > 0
}

// subcommand returns the index of the subcommand, 0 if that does not build.
func subcommand(command []string) int {
	at := 1
	if len(command) < 2 {
		return 0
	}
	if len(command) > 2 && command[1] == "-C" {
		at = 3
	} else if strings.HasPrefix(command[1], "-C=") {
		at = 2
	}
	if at < len(command) && slices.Contains([]string{"build", "install", "run", "test"}, command[at]) {
		return at
	}
	return 0
}

// isSeveral reports whether a pattern of packages may be more than one.
func isSeveral(pattern string) bool {
	return strings.Contains(pattern, "...") || slices.Contains([]string{"all", "cmd", "std", "tool", "work"}, pattern)
}

// ErrToolexec: the command has a -toolexec of its own.
var ErrToolexec = errors.New("-toolexec is what instruments the program: it cannot have another one")

// Make makes a plan for a command that [Is] has accepted.
func Make(ctx context.Context, t *Toolchain, tools *Tools, command []string, o Options) (*Plan, error) {
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
		p.Args = slices.Concat(head, own, rest)
	} else {
		flags, err := t.merged(ctx, head, given, patterns, user.packages, stamp)
		if err != nil {
			return nil, err
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
	return &Plan{Args: command, Env: append(tools.environment(o, t.names(ctx, "", userFlags{}, o.Packages)), "GOFLAGS="+strings.TrimSpace(strings.Join(words, " "))), Runs: true, Several: true}, nil
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

func (o Options) wrapper() wrapper.Options {
	return wrapper.Options{Tests: o.Tests, Trivial: o.Trivial}
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
