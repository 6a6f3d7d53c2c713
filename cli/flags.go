package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tracex/format"
	"tracex/recorder/convert/importer"
	"tracex/ui"
)

// screenFlags are the flags of the commands with a screen, open and demo, and of config.
type screenFlags struct {
	memory byteSize
	color  string
	look   ui.Options // without its color
	themes []*userTheme
	flags  *pflag.FlagSet
}

func validColor(name string) bool {
	switch ui.Color(name) {
	case ui.ColorAuto, ui.ColorAlways, ui.ColorNever:
		return true
	}
	return false
}

// formatVersion is a flag's value: a version of the format to write; 0 if the flag was not given.
type formatVersion format.Version

// Set parses a version.
func (v *formatVersion) Set(text string) error {
	parsed, err := format.ParseVersion(text)
	*v = formatVersion(parsed)
	return err
}

// String returns the number, "" if there is none.
func (v *formatVersion) String() string {
	if *v == 0 {
		return ""
	}
	return format.Version(*v).String()
}

// Type names the value in help.
func (v *formatVersion) Type() string { return "version" }

// completeVersion lets a shell complete a flag that is a formatVersion.
func completeVersion(c *cobra.Command, flag string) {
	complete(c, flag, format.V27.String(), format.V22.String())
}

// complete lets a shell complete a flag with words.
func complete(c *cobra.Command, flag string, words ...cobra.Completion) {
	if err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // there is no such flag, or it has words already
	}
}

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
		if run == nil { // only its subcommands do something
			continue
		}
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

// oneOf lists words: a, b or c.
func oneOf(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// flagDefault returns a flag's default in parentheses after a space, "" if it is a zero value.
func flagDefault(f *pflag.Flag) string {
	switch f.DefValue {
	case "", "false", "0", "[]":
		return ""
	}
	return " (" + f.DefValue + ")"
}

// flagArgument returns a word for the argument of a flag, "" if it takes none.
func flagArgument(f *pflag.Flag) string {
	switch name := f.Value.Type(); name {
	case "bool":
		return ""
	case "string", "stringArray":
		return "text"
	case "size", "version":
		return name
	}
	return "number"
}
