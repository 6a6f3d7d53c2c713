package cli

import (
	"fmt"
	"regexp"
	"strings"

	mango "github.com/muesli/mango-cobra"
	"github.com/muesli/roff"
	"github.com/spf13/cobra"

	"tracex/recorder/perfetto/ipc"
	"tracex/ui"
)

const manDescription = `tracex trace.bin opens a recorded trace of method calls, of any size, as a tree to walk with the keyboard; ? shows the keys.
It reads traces of version 27 of the format, which Lincheck 3.7 writes, and of 22, which 3.6 writes; of 19 (3.4.6 to 3.5) as well, untried.
Other commands print a trace, tell what is in it, record one or change its form. A file named - is standard input.`

// Options as mango writes them: the short name with two dashes, and dashes that
// may come out as hyphens, which nobody could copy.
var (
	manShort = regexp.MustCompile(`\\fB--(\w) --`)
	manLong  = regexp.MustCompile(`\\fB--`)
)

// manAfterKeys is the section before which the keys go.
const manAfterKeys = ".SH EXIT STATUS\n"

const manExit = `0: all went well; also when the reader of the output went away (print | head).
1: a file could not be read or written.
2: flags or arguments are wrong, or open was called without a terminal.
3: the file is not a trace, or a trace of another version.
4: the trace is damaged, cut short or still being recorded; all that is whole was printed.
130, 143, 129, 131: stopped by an interrupt, a termination, a hang-up, a quit.
record ends with the status of the program that it ran, if that is not 0.`

const manFiles = `trace.bin: a trace as it was recorded.
trace.bin.idx: its index. Where it is missing, damaged, of another trace or of another version of the format it is made again and stored beside the data, unless --no-write is given or the folder cannot be written.
trace.bin.tim: its times: when each call began and how long it took. Without it, or with one of another trace, there are no durations.
trace.bin.live: what a program has recorded and not yet written. When the program was killed, the next command that reads the trace puts it in.
trace.bin.recording: a folder with what record has until it makes the trace. When record itself was killed, the next command that reads the trace makes it.
trace.packedtrace: data, index, times and a description in one ZIP file.`

const manEnvironment = `NO_COLOR: no colours.
TERM: dumb means no colours.
LC_ALL, LC_CTYPE, LANG: the first that is set names the characters that the terminal has; without UTF-8, ASCII alone is drawn.
TMUX, SSH_TTY, WAYLAND_DISPLAY, DISPLAY: how the explorer copies.
EDITOR, VISUAL: what opens the source at a call.
TMPDIR: where packed traces and standard input are unpacked to.
` + ipc.ProducerVariable + `, ` + ipc.ConsumerVariable + `: the sockets of serve; record sets them for the program that it runs.`

// manKeys is a section with the explorer's key map. The library would take a key
// for the beginning of a list.
func manKeys() string {
	var b strings.Builder
	b.WriteString(".SH KEYS\nIn the explorer. A number before a key is how often, or which row: 5j, 100G.\n")
	group := ""
	for _, k := range ui.Keys() {
		if k.Group != group {
			group = k.Group
			fmt.Fprintf(&b, ".SS %s\n", manText(group))
		}
		fmt.Fprintf(&b, ".TP 20\n\\fB%s\\fP\n%s\n", manText(k.Names), manText(k.Does))
	}
	return b.String()
}

// manText is text as roff takes it, so that it comes out as it is.
func manText(text string) string {
	return strings.NewReplacer(`\`, `\e`, ".", `\&.`, "'", `\(aq`, "-", `\-`, "^", `\(ha`, "~", `\(ti`).Replace(text)
}

// manCommand prints the man page of all commands.
func (a *app) manCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:               "man",
		Short:             "Print the man page",
		Hidden:            true,
		Args:              noArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error {
			for _, c := range root.Commands() {
				c.Hidden = c.Hidden && c.Name() != "bench" // a page has room for it
			}
			page, err := mango.NewManPage(1, root)
			if err != nil {
				return err
			}
			page.WithLongDescription(manDescription)
			page.WithSection("Exit status", manExit)
			page.WithSection("Files", manFiles)
			page.WithSection("Environment", manEnvironment)
			text := manShort.ReplaceAllString(page.Build(roff.NewDocument()), `\fB\-$1, \-\-`)
			text = manLong.ReplaceAllString(text, `\fB\-\-`)
			text = strings.Replace(text, manAfterKeys, manKeys()+manAfterKeys, 1)
			_, err = fmt.Fprint(a.stdout, text)
			return err
		},
	}
}
