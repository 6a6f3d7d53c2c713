package cli

import (
	"slices"

	"github.com/spf13/cobra"
)

// newCompareCommand returns the command compare, which is diff for two calls of one trace.
func newCompareCommand(a *app) *cobra.Command {
	c := newDiffCommand(a)
	diff := c.RunE
	c.Use, c.Short = "compare FILE A B", "Show what is different between two calls of a trace, as diff does"
	c.Long = "tracex compare FILE '#A' '#B' is tracex diff 'FILE#A' '#B': it has the same output, flags and exit codes. " +
		"A and B are calls, loops, iterations or threads with everything in them. See tracex help differences."
	c.Example = `tracex compare trace.bin '#46' '#84'
tracex compare --exit-code trace.bin 46 84   # 5 if there are differences`
	c.Args = func(c *cobra.Command, args []string) error {
		_, err := comparedArguments(c, args)
		return err
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		args, err := comparedArguments(c, args)
		if err != nil {
			return err
		}
		return diff(c, args)
	}
	return c
}

// comparedArguments returns the file and the two places that the arguments of compare name, as diff takes them.
func comparedArguments(c *cobra.Command, args []string) ([]string, error) {
	missing := &usageError{"compare needs a file and two calls", c.CommandPath() + " FILE '#106' '#1204'"}
	if len(args) < 2 || len(args) > 3 || slices.Contains(args, "") {
		return nil, missing
	}
	if len(args) == 2 {
		path, first := splitPlace(args[0])
		if !first.given {
			return nil, missing
		}
		args = []string{path, first.handle.String(), args[1]}
	}
	for _, place := range args[1:] {
		if _, err := placeArgument(place); err != nil {
			return nil, err
		}
	}
	return args, nil
}
