package cli

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tracex/recorder/convert/importer"
)

// fromFlag is --from of a command that reads a file: the kind of a file of another tool, if it is not to be recognized
// by its content. In a command that takes a part of a trace, it is also where that begins: no kind is a time or a number, and
// the flag may be given twice.
type fromFlag struct {
	pflag.Value         // where a part begins; nil if the command takes none
	kind        *string // of the file
	part        bool    // a part was given
	wrong       string  // is no kind
}

// fromUsage tells what --from is for a file. Help has it for convert only, as a screen has few lines.
const fromUsage = "kind of the file, such as chrome; default: by its content"

// fromFlag adds the kind of the file to a command's --from.
func (a *app) fromFlag(c *cobra.Command) {
	f := &fromFlag{kind: &a.from}
	flag := c.Flags().Lookup("from")
	switch {
	case flag == nil:
		flags := c.Flags()
		if c.HasSubCommands() { // they have it, too
			flags = c.PersistentFlags()
		}
		flags.Var(f, "from", fromUsage)
		if flag = flags.Lookup("from"); c.Name() != "convert" {
			flag.Annotations = map[string][]string{rareMark: nil}
		}
	case flag.Hidden: // the command refuses a part
		f.Value, flag.Value = flag.Value, f
		flag.Hidden, flag.Usage, flag.Annotations = false, fromUsage, map[string][]string{rareMark: nil}
	default:
		f.Value, flag.Value = flag.Value, f
		flag.Usage += "; or a kind, such as chrome"
	}
	complete(c, "from", importer.FromNames()...)
	for _, c := range append(c.Commands(), c) {
		run := c.RunE
		c.RunE = func(c *cobra.Command, args []string) error {
			if f.wrong != "" {
				return &usageError{"--from must be " + oneOf(importer.FromNames()) + ", not " + f.wrong, ""}
			}
			flag.Changed = flag.Changed && (f.part || f.Value == nil)
			return run(c, args)
		}
	}
}

// Set is for the parser of flags.
func (f *fromFlag) Set(text string) error {
	switch {
	case text == "", slices.Contains(importer.FromNames(), text):
		*f.kind = text
		return nil
	case f.Value == nil:
		f.wrong = text
		return nil
	}
	f.part = true
	return f.Value.Set(text)
}

// Type is for the parser of flags, and for help.
func (f *fromFlag) Type() string {
	if f.Value == nil {
		return "string"
	}
	return f.Value.Type()
}

// String returns the value before the command line is read.
func (f *fromFlag) String() string {
	if f.Value == nil {
		return ""
	}
	return f.Value.String()
}
