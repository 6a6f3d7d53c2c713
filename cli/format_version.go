package cli

import (
	"github.com/spf13/cobra"

	"tracex/format"
)

// formatVersion is a flag's value: a version of the format that is written; 0: the
// flag was not given.
type formatVersion format.Version

// Set parses a version.
func (v *formatVersion) Set(text string) error {
	parsed, err := format.ParseVersion(text)
	*v = formatVersion(parsed)
	return err
}

// String is the number, "" if there is none.
func (v *formatVersion) String() string {
	if *v == 0 {
		return ""
	}
	return format.Version(*v).String()
}

// Type names the value in help.
func (v *formatVersion) Type() string { return "version" }

// completeVersion lets a shell complete the flag of a version.
func completeVersion(c *cobra.Command, flag string) {
	words := []cobra.Completion{format.V27.String(), format.V22.String()}
	if err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag is not there, or was given words twice
	}
}
