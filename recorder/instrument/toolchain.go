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
	if at := subcommand(commandLine); at > 1 {
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
