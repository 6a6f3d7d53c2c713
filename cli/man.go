package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tracex/cli/config"
	"tracex/recorder/convert/cache"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/perfetto/service"
	"tracex/ui"
)

const manDescription = `tracex trace.bin opens a recorded trace of method calls, of any size, as a tree to explore with the keyboard; press ? for the keys.
It reads traces of format version 27, which Lincheck 3.7 writes, and 22, which Lincheck 3.6 writes. It also reads version 19 (3.4.6 to 3.5), but that is untested.
Files of Perfetto, Chrome, uftrace, AppMap, Go, OpenTelemetry, Jaeger and Xdebug are converted when they are opened; tracex help exchange.
Other commands print, describe, record, convert and pack traces. The file name - means standard input.`

// The texts of these sections are paragraphs, one a line.

const manAnswers = `Answers are commands that read a whole trace, or a part of it, and print a table.
tracex report FILE: what happened around a failed test, a panic, an exception or an event, on a page of bounded size.
tracex top FILE: which methods take the time, or have the events.
tracex find FILE FILTER: the events that match a filter; tracex help filter.
tracex calls FILE METHOD: all calls of a method, or those that match a filter, with their values; --by arg.1, ret, recv, thread, caller, caller.event, in:METHOD, method, threw or line: a row for each value; --sort also by dur, self, start, event, in a trace without times events.
tracex callers FILE METHOD: who calls a method; with --callees, what it calls.
tracex history FILE LOCATION: the values of a field, an element, a variable or an object.
tracex state FILE EVENT: arguments, variables and fields as last seen before an event.
tracex source FILE CALL: the source of a call with what it read, wrote and called at each line.
tracex diff OLD NEW: what is different between two traces, or two calls; tracex help differences. tracex compare FILE EVENT EVENT does the same for two calls of one trace.
tracex golden check NAME FILE: what differs from what was kept by tracex golden save.
tracex throws FILE: where exceptions were thrown and caught.
tracex around FILE PLACE: what all threads did around an event.
tracex at FILE TIME: what every thread, or goroutine, was in at a moment, such as 1.2s or '#1204', and what it waited for; --stack: all callers.
tracex log FILE 'FILTER: "FORMAT"': a line for each event that matches.
tracex flame FILE: a picture of what a thread did over its time, or over its events; --thread N, --in, --from, --to, --depth and --width choose what is drawn.
A part: --thread N; --in '#1204' or 'trace.bin#1204', below an event; --from 1.2s --to 1.3s, a span of time since the recording began; in a trace without times numbers of events, --from '#1200'.
Only my code: --only 'pkg=com.shop.*' merges all other calls into their callers and leaves out what they read and write; --merge, --drop, --focus and --recursion edit the tree further, each as often as needed, in this order.
--raw takes what was recorded, including compiler-generated calls; otherwise answers are about what the explorer shows.
Output: -n or --limit N rows, 0 for all; --json, an object per row; --csv.
Checks: --expect N exits with 5 unless there are exactly N rows; --max N if there are more.
docs/answers.md has the definitions.`

const manFiles = `trace.bin: the data of a trace.
trace.bin.idx: its index. If it is missing, damaged, or belongs to another trace or format version, it is rebuilt and saved beside the data, unless --no-write is given or the directory is not writable.
trace.bin.tim: its times: when each call began and how long it took. Without it, or with one of another trace, no durations are shown.
trace.bin.sum: its summary, with which answers are faster: top prints at once, find, calls and history skip what cannot match. One that does not fit the data is not used. index writes it; the explorer does while it is idle, for data of 64 MiB or more, unless --no-write is given.
trace.bin.live: what a program has recorded that is not yet in the trace. If the program was killed, the next command that reads the trace recovers it.
trace.bin.notes: marks and notes about the trace, and where the explorer was left. Notes of another trace are moved to trace.bin.notes.old once there are some to keep of this one.
trace.bin.recording: the directory of a running record command. If record itself was killed, the next command that reads the trace completes it from this directory.
$XDG_CACHE_HOME/tracex/converted, or ~/.cache/tracex/converted: traces that were made of files of other tools, with their notes. It may be deleted. On macOS and Windows it is in the user's directory for caches.
trace.packedtrace: data, index, times and a description in one ZIP file.
$XDG_CONFIG_HOME/tracex/config, or ~/.config/tracex/config: the explorer's settings and keys, as tracex config prints them. On macOS and Windows, without XDG_CONFIG_HOME, it is in the user's directory for configurations.
$XDG_STATE_HOME/tracex/last, or ~/.local/state/tracex/last: the names of what was open last, which open without a file opens again.
themes/NAME.toml beside the configuration: the user's own themes.`

// manEnvironment are the variables. The table of settings has those of settings.
var manEnvironment = `` + config.Variable + `: the configuration file to use instead. An empty file, such as /dev/null, means the defaults.
` + settingVariables() + `: the settings of these names. They count more than the configuration file and less than flags.
` + cache.Variable + `: the directory for traces that were made of files of other tools; off keeps none.
NO_COLOR: disables colors, unless a setting or a flag asks for them.
TERM: dumb disables colors.
LC_ALL, LC_CTYPE, LANG: the first that is set names the character set of the terminal; if that is not UTF-8, only ASCII is drawn.
TMUX, SSH_TTY, WAYLAND_DISPLAY, DISPLAY: choose how the explorer copies to the clipboard.
EDITOR, VISUAL: the editor that opens the source of a call.
USER (on Windows USERNAME): the author of notes.
TMPDIR: directory for unpacked traces and standard input.
` + service.ProducerVariable + `, ` + service.ConsumerVariable + `: the sockets of serve; record sets them for the program that it runs.
` + raw.FolderVariable + `, ` + raw.OptionsVariable + `: the folder for what a program of tracex build records from its start, and options; record sets them. TRACEX_CONTROL=0: tracex attach cannot reach it. tracex help go tells more.`

// newManCommand returns the command that prints the man page of all commands.
func newManCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "man",
		Short:             "Print the man page",
		Hidden:            true,
		Args:              noArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := io.WriteString(a.stdout, manPage(c.Root()))
			return err
		},
	}
}

// manPage returns the man page, one page for all commands. Package cobra/doc would write a page
// for each command, and would link a Markdown converter.
func manPage(root *cobra.Command) string {
	p := new(manWriter)
	fmt.Fprintf(p, ".TH TRACEX 1 \"\" \"tracex %s\" \"tracex manual\"\n", manText(version))
	p.section("NAME", "tracex - "+root.Short)
	p.WriteString(".SH SYNOPSIS\n\\fBtracex\\fP [\\fIcommand\\fP] [\\fIoptions\\fP] \\fIfile\\fP\n")
	p.section("DESCRIPTION", manDescription)
	p.WriteString(".SH COMMANDS\n")
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() || c.Name() == "guide" { // the page has room for it
			p.command(c)
		}
	}
	p.keys()
	p.section("EXIT STATUS", manExit)
	p.section("FILES", manFiles)
	p.section("ENVIRONMENT", manEnvironment)
	return p.String()
}

// manWriter writes a man page in roff's language.
type manWriter struct{ strings.Builder }

// section writes paragraphs, one for each line of the text.
func (p *manWriter) section(title, text string) {
	fmt.Fprintf(p, ".SH %s\n", title)
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			p.WriteString(".PP\n")
		}
		p.WriteString(manText(line) + "\n")
	}
}

// command writes a command's description, its options and examples, and its subcommands.
func (p *manWriter) command(c *cobra.Command) {
	usage := strings.Replace(strings.TrimPrefix(c.UseLine(), "tracex "), " [flags]", "", 1)
	fmt.Fprintf(p, ".SS %s\n%s.\n", manText(usage), manText(strings.TrimSuffix(cmp.Or(c.Long, c.Short), ".")))
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			p.option(f)
		}
	})
	if c.Example != "" {
		p.WriteString(".PP\nExamples:\n.PP\n.nf\n.RS 4\n")
		for line := range strings.Lines(c.Example) {
			p.WriteString(manText(strings.TrimRight(line, "\n")) + "\n")
		}
		p.WriteString(".RE\n.fi\n")
	}
	for _, sub := range c.Commands() {
		p.command(sub)
	}
}

// option writes a flag with its argument, its text and its default.
func (p *manWriter) option(f *pflag.Flag) {
	names := "\\fB" + manText("--"+f.Name) + "\\fP"
	if f.Shorthand != "" {
		names = "\\fB" + manText("-"+f.Shorthand) + "\\fP, " + names
	}
	if argument := flagArgument(f); argument != "" {
		names += " \\fI" + manText(argument) + "\\fP"
	}
	fmt.Fprintf(p, ".TP\n%s\n%s\n", names, manText(f.Usage+flagDefault(f)))
}

// keys writes a section with the explorer's key map.
func (p *manWriter) keys() {
	p.section("KEYS", "In the explorer. A number before a key is a count or a row: 5j, 100G.")
	group := ""
	for _, k := range ui.Keys() {
		if k.Group != group {
			group = k.Group
			fmt.Fprintf(p, ".SS %s\n", manText(group))
		}
		fmt.Fprintf(p, ".TP 20\n\\fB%s\\fP\n%s\n", manText(k.Names), manText(k.Does))
	}
}

// manText escapes text so that roff prints it as it is.
func manText(text string) string {
	return strings.NewReplacer(`\`, `\e`, ".", `\&.`, "'", `\(aq`, "-", `\-`, "^", `\(ha`, "~", `\(ti`, `"`, `\(dq`).Replace(text)
}
