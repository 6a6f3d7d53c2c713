package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tracex/lazy/query"
)

// nextSkip returns the command line that a command has, with one kind more to skip.
func nextSkip(c *cobra.Command, args []string, skip int) string {
	words := []string{c.CommandPath(), "--first", "--skip", strconv.Itoa(skip + 1)}
	c.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, value := range values {
			switch {
			case f.Name == "first" || f.Name == "skip":
			case f.NoOptDefVal == value:
				words = append(words, "--"+f.Name)
			case f.NoOptDefVal != "":
				words = append(words, "--"+f.Name+"="+shellWord(value))
			default:
				words = append(words, "--"+f.Name, shellWord(value))
			}
		}
	})
	if slices.ContainsFunc(args, func(arg string) bool { return len(arg) > 1 && arg[0] == '-' }) {
		words = append(words, "--")
	}
	for _, arg := range args {
		words = append(words, shellWord(arg))
	}
	return strings.Join(words, " ")
}

// shellWord returns a text as a word for a POSIX shell.
func shellWord(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./,:+=%", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// firstSink finds the first change of a kind after others, in the order in which two traces that are read in step meet them: if a call differs only
// in how it ended, what is in it comes before.
type firstSink struct {
	skip  int // kinds
	seen  map[changeKind]bool
	ends  []endedChange // of open containers; of a kind the innermost, which ends first
	depth int           // of the last row
	found *diffChange
}

// endedChange is a change that is met where its container ends.
type endedChange struct {
	*diffChange
	depth int
}

func (s *firstSink) thread(int32)          { s.leave(0) }
func (s *firstSink) around(rows []diffRow) { s.leave(rows[0].depth) }
func (s *firstSink) gap(int, diffGap)      {}

func (s *firstSink) row(row diffRow) {
	s.leave(row.depth)
	s.depth = row.depth
}

func (s *firstSink) change(c *diffChange) error {
	if !endsOnly(c) {
		s.meet(c)
	} else if kind := kindOf(c); !s.seen[kind] {
		s.ends = slices.DeleteFunc(s.ends, func(e endedChange) bool { return kindOf(e.diffChange) == kind })
		s.ends = append(s.ends, endedChange{c, s.depth})
	}
	if s.found != nil {
		return errEnoughChanges
	}
	return nil
}

// leave ends the containers that are at least so many levels deep.
func (s *firstSink) leave(depth int) {
	for n := len(s.ends); n > 0 && s.ends[n-1].depth >= depth; n = len(s.ends) {
		s.meet(s.ends[n-1].diffChange)
		s.ends = s.ends[:n-1]
	}
}

// meet takes the changes in their order.
func (s *firstSink) meet(c *diffChange) {
	if kind := kindOf(c); s.found == nil && !s.seen[kind] {
		s.seen[kind] = true
		if len(s.seen) > s.skip {
			s.found = c
		}
	}
}

// resultPart is what of a call is different if it ended in another way, see [query.Change].
const resultPart = "result"

// endsOnly reports whether what a change is of differs only in how it ended.
func endsOnly(c *diffChange) bool {
	return c.kind == "edited" && len(c.values) == 1 && c.values[0].Part == resultPart
}

// changeKind is what a change has in common with others of its kind, as in the table of kinds.
type changeKind struct{ change, what string }

func kindOf(c *diffChange) changeKind {
	switch {
	case c.move != nil:
		return c.moved
	case c.kind == "edited":
		return changeKind{c.kind, query.EditOf(c.what, c.values)}
	}
	return changeKind{c.kind, query.DeedOf(c.class, c.what)}
}
