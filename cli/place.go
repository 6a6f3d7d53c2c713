package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tracex/lazy"
)

// splitPlace splits an argument into a file and a place in its trace, if the argument ends in
// one. A file whose name is the whole argument wins.
func splitPlace(arg string) (path string, at place) {
	i := strings.LastIndexAny(arg, "#@")
	if i <= 0 || exists(arg) {
		return arg, place{}
	}
	h, ok := lazy.ParseHandle(arg[i:])
	if !ok {
		return arg, place{}
	}
	return arg[:i], place{h, true}
}

// placeArguments are the arguments of a command about one place of one trace: 'trace.bin#1204', or
// trace.bin and '#1204'.
func placeArguments(c *cobra.Command, args []string) (path string, at lazy.Handle, err error) {
	hint := c.CommandPath() + " FILE '#1204'"
	if len(args) == 0 || len(args) > 2 || slices.Contains(args, "") {
		return "", at, &usageError{c.Name() + " needs a file and an event", hint}
	}
	path, in := splitPlace(args[0])
	switch {
	case len(args) == 2 && in.given:
		return "", at, &usageError{in.handle.String() + " and " + args[1] + " exclude each other", "both name the place to look at"}
	case len(args) == 2:
		at, err = placeArgument(args[1])
		return path, at, err
	case !in.given:
		return "", at, &usageError{c.Name() + " needs a file and an event", hint}
	}
	return path, in.handle, nil
}

// onePlace checks that a command has such arguments.
func onePlace(c *cobra.Command, args []string) error {
	_, _, err := placeArguments(c, args)
	return err
}

// placeArgument reads an argument that is only a place: '#1204', '@3+88120' or 1204.
func placeArgument(arg string) (lazy.Handle, error) {
	h, ok := lazy.ParseHandle(arg)
	if !ok {
		h, ok = lazy.ParseHandle("#" + arg)
	}
	if !ok {
		return h, &usageError{arg + " names no place in a trace", "a place is the number of an event, such as '#1204', or a thread and an offset, such as '@3+88120'"}
	}
	return h, nil
}

// place is the place in a trace that an argument names after the file: 'trace.bin#1204'.
type place struct {
	handle lazy.Handle
	given  bool
}
