package instrument

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// go tool NAME builds a tool that go.mod names, and runs it. It takes no flags of a build, neither on the command line nor from
// GOFLAGS: so go build builds the tool instead, and the plan runs it.

// toolNamed returns the index of the name of a tool in a command, 0 if the command runs no tool.
func toolNamed(command []string) int {
	at := place(command)
	if at >= len(command) || command[at] != "tool" {
		return 0
	}
	for at++; at < len(command); at++ {
		name, _, has := strings.Cut(strings.TrimLeft(command[at], "-"), "=")
		switch {
		case !strings.HasPrefix(command[at], "-"):
			return at
		case name == "n": // it only prints what it would run
			return 0
		case !has && name != "modcacherw":
			at++
		}
	}
	return 0
}

// makeTool is [Make] for go tool.
func makeTool(ctx context.Context, t *Toolchain, tools *Tools, command []string, o Options) (*Plan, error) {
	at := toolNamed(command)
	found, err := t.toolPackage(ctx, command, at)
	if err != nil || found == "" {
		return &Plan{Args: command, Runs: true}, err // go says what is wrong with the name
	}
	program, err := filepath.Abs(filepath.Join(o.Folder, programName(found)))
	if err != nil {
		return nil, err
	}
	p, err := Make(ctx, t, tools, toolBuild(command, at, "-o", program, found), o)
	if err != nil {
		return nil, err
	}
	p.Build, p.Args, p.Dir, p.Runs = p.Args, append([]string{program}, command[at+1:]...), folderOf(command), true
	p.Env = append(p.Env, "PATH="+filepath.Join(t.Root, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH")) // as go tool has it
	return p, nil
}

// toolBuild returns a command that builds the tool whose name is at an index, with further arguments.
func toolBuild(command []string, at int, args ...string) []string {
	sub := place(command)
	return slices.Concat(command[:sub], []string{"build"}, command[sub+1:at], args)
}

// toolPackage returns the import path of the tool whose name is at an index; "" if there is no such tool, or several. The error
// is an *Unsupported if the tool is part of Go.
func (t *Toolchain) toolPackage(ctx context.Context, command []string, at int) (string, error) {
	name := command[at]
	for _, in := range []string{filepath.Join("pkg", "tool", t.hostOS+"_"+t.hostArch), filepath.Join("src", "cmd")} {
		if _, err := os.Stat(filepath.Join(t.Root, in, name)); err == nil && !strings.ContainsAny(name, "/.") {
			return "", &Unsupported{"go tool " + name + " is part of Go, and", "go run cmd/" + name + " builds it from its source, and can"}
		}
	}
	sub := place(command)
	args := slices.Concat(command[1:sub], []string{"list"}, command[sub+1:at], []string{"-f", "{{.ImportPath}}", "tool"})
	c := t.command(ctx, "", args...)
	c.Env = os.Environ()
	out, err := output(c)
	if err != nil {
		return "", err
	}
	found := ""
	for _, p := range strings.Fields(string(out)) {
		if p != name && programName(p) != name {
			continue
		}
		if found != "" {
			return "", nil
		}
		found = p
	}
	return found, nil
}

// programName returns the name that the go command gives the program of a package: the last element of its path that is no
// version.
func programName(pkg string) string {
	name := path.Base(pkg)
	if digits, ok := strings.CutPrefix(name, "v"); ok && name != pkg && digits != "" && digits != "1" && digits[0] != '0' && strings.Trim(digits, "0123456789") == "" {
		name = path.Base(path.Dir(pkg))
	}
	return name
}

// folderOf returns the folder that a go command changes to; "" if it does not. -C is the first flag, before or after the
// subcommand.
func folderOf(command []string) string {
	at := place(command)
	if at < len(command)-1 {
		if name, _, _ := strings.Cut(strings.TrimLeft(command[at+1], "-"), "="); name == "C" {
			return folder(command[at+1:])
		}
	}
	return folder(command[:min(at, len(command))])
}
