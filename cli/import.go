package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"

	"tracex/format"
	"tracex/lazy/query/display"
	"tracex/recorder/convert/cache"
	"tracex/recorder/convert/importer"
	"tracex/recorder/convert/perfetto"
	"tracex/recorder/recording"
	"tracex/ui"
)

// beginProgress is newProgress for other packages.
func (a *app) beginProgress(what string) importer.Progress { return a.newProgress(what) }

// conversion returns one that writes a trace where the user said.
func (a *app) conversion(output string, force bool, v formatVersion) *importer.Conversion {
	return &importer.Conversion{Output: output, Force: force, Version: format.Version(v), Begin: a.beginProgress}
}

// openSource opens what the argument names, a folder or a file, and recognizes its kind by its
// content, unless from says which it is. The caller closes it.
func (a *app) openSource(ctx context.Context, arg, from string) (*importer.Input, error) {
	if arg == "-" && term.IsTerminal(int(a.stdin.Fd())) {
		return nil, errStdinTerminal
	}
	s, err := importer.Open(ctx, a.stdin, arg, from)
	if other := (*importer.KindError)(nil); errors.As(err, &other) {
		return nil, &usageError{other.Error(), "without --from its kind is recognized by its content"}
	}
	return s, err
}

// openConverted is openWhole for what is not a trace, but can be converted to one, and for pipes. It returns nil for
// other files, whose opening reports what they are. keep says that the trace may be kept in the cache.
func (a *app) openConverted(ctx context.Context, arg string, keep bool) (*input, error) {
	if arg != "-" {
		if st, err := os.Stat(arg); err != nil || !st.Mode().IsRegular() && !st.IsDir() && st.Mode()&os.ModeNamedPipe == 0 {
			return nil, nil
		} else if st.IsDir() && a.from == "" && (recording.RawFiles(arg) != nil || !importer.IsFolder(arg)) {
			return nil, nil
		}
	}
	s, err := a.openSource(ctx, arg, a.from)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	m := importer.Importer{Input: s, Version: version, Begin: a.beginProgress, LeftOut: resultLines,
		Remark: func(what string, why error) { a.remark(printable(what), why) }}
	convert := m.Keep
	switch unknown := s.Kind == importer.KindUnknown; {
	case arg == "-" || s.Pipe:
		if s.Kind == importer.KindRaw || s.Kind == importer.KindTrace || unknown && s.Unreadable() == nil {
			in, err := temporary(s.Name)
			if err != nil {
				return nil, err
			}
			return in.copyFrom(ctx, a, s)
		}
		convert = m.Temporary
	case s.Kind == importer.KindRaw || s.Kind == importer.KindTrace && s.Packed() == "":
		return nil, nil
	case unknown:
		return nil, s.Unreadable()
	case !keep:
		convert = m.Temporary
	}
	made, err := convert(ctx)
	var place *importer.PlaceError
	switch {
	case errors.As(err, &place) && place.Variable == cache.Variable:
		return nil, withHint(err, "set "+cache.Variable+" to another directory for converted traces")
	case place != nil:
		return nil, withHint(err, hintTMPDIR)
	case err != nil:
		return nil, err
	}
	return &input{path: made.Path, name: s.Name, dir: made.Dir, made: made}, nil
}

// convertible reports whether a file is not a trace, but can be converted to one.
func (a *app) convertible(ctx context.Context, path string) bool {
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() && !st.IsDir() {
		return false
	}
	s, err := a.openSource(ctx, path, a.from)
	if err != nil {
		return false
	}
	defer s.Close()
	return s.Convertible()
}

// tell remarks what a conversion has left out.
func (in *input) tell(a *app) {
	if in.made == nil || !in.made.Fresh {
		return
	}
	for _, line := range in.made.LeftOut() {
		a.remark(printable(in.name), errors.New(line))
	}
}

// remark adds to the explorer's first message what the conversion has left out, or could not read.
func (in *input) remark(look *ui.Options) {
	if in.made == nil {
		return
	}
	var all []string
	if look.Remark != "" {
		all = append(all, look.Remark)
	}
	if err := in.damage(); err != nil {
		all = append(all, message(err))
	}
	if in.made.Fresh {
		all = append(all, in.made.LeftOut()...)
	}
	look.Remark = strings.Join(all, "; ")
}

// withDamage adds to err, which may be nil, the faults of the file that the trace was converted from.
func (in *input) withDamage(err error) error {
	damage := in.damage()
	switch {
	case damage == nil:
		return err
	case err == nil:
		return damage
	}
	return errors.Join(append(slices.Clone(joined(err)), joined(damage)...)...)
}

// damage returns the fault of the file that the trace was converted from.
func (in *input) damage() (err error) {
	if in.made == nil {
		return nil
	}
	return errors.Join(in.made.Damage(in.name)...)
}

// reportMade prints what was made, and what was left out.
func (a *app) reportMade(output string, r *importer.Result) error {
	w := bufio.NewWriter(a.stdout)
	fmt.Fprintf(w, "%s: %s, %s, %v\n", printable(output), counted(r.Threads, "thread"), counted(r.Events, "event"), rounded(r.Took))
	for _, line := range resultLines(r) {
		fmt.Fprintln(w, line)
	}
	return w.Flush()
}

// resultLines describe what was left out and what was changed, a line for each reason.
func resultLines(r *importer.Result) (lines []string) {
	for _, l := range r.LeftOut {
		lines = append(lines, leftLine(l))
	}
	return append(lines, changeLines(r.Changes)...)
}

// leftLine describes what was left out for one reason.
func leftLine(l perfetto.LeftOut) string {
	line := "left out: " + display.Grouped(l.Count) + " " + printable(l.What)
	switch {
	case l.First < 0:
		return line
	case l.Count == 1:
		return fmt.Sprintf("%s, at offset %d", line, l.First)
	}
	return fmt.Sprintf("%s, the first at offset %d", line, l.First)
}

// changeLines describe the guesses and losses of a conversion to another version of the format,
// one line for each kind.
func changeLines(changes map[format.Change]int64) (lines []string) {
	for _, c := range format.AllChanges() {
		n := changes[c]
		if n == 0 {
			continue
		}
		what := "lost: "
		if c.Guess() {
			what = "guessed: "
		}
		lines = append(lines, what+display.Grouped(n)+" "+c.Words(n))
	}
	return lines
}
