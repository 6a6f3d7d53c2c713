package instrument

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
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

// FindToolchain asks a go command what it builds with in the current directory.
func FindToolchain(ctx context.Context, command string) (*Toolchain, error) {
	names := []string{"GOVERSION", "GOROOT", "GOOS", "GOARCH", "GOHOSTOS", "GOHOSTARCH", "GOFLAGS", "GOAMD64", "GOARM64", "GOEXPERIMENT", "GOFIPS140"}
	c := exec.CommandContext(ctx, command, append([]string{"env", "-json"}, names...)...)
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
	return t, nil
}

// host reports whether what is built runs on this machine.
func (t *Toolchain) host() bool { return t.OS == t.hostOS && t.Arch == t.hostArch }

// command returns a go command that does not see the user's flags, workspace or module.
func (t *Toolchain) command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, t.Go, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GO111MODULE=on", "GOTOOLCHAIN=local", "PWD="+dir)
	return c
}

// output runs a command and returns its standard output. What it says on standard error is part
// of the error.
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
