package status

import (
	"errors"
	"fmt"
	"io/fs"

	"tracex/format"
	"tracex/lazy"
	"tracex/ui/internal/screen"
)

// Troubles returns the lines about what is wrong with a trace, and what that means for the
// user who looks at it. some means that it has threads.
func Troubles(st lazy.Status, some bool, g *screen.Glyphs) []string {
	var lines []string
	if st.Ended != "" {
		lines = append(lines, st.Ended)
	}
	if st.Growth.Wait != nil && some {
		lines = append(lines, "not growing: "+screen.ErrorLine(st.Growth.Wait))
	}
	if st.Problem != nil {
		lines = append(lines, problem(st, g))
	}
	var e *format.Error
	switch {
	case errors.Is(st.IndexReason, lazy.ErrIndexVersion) && errors.As(st.IndexReason, &e):
		lines = append(lines, "the index was rebuilt: it was of "+e.Found)
	case st.IndexReason != nil:
		lines = append(lines, "the stored index was not used, but rebuilt: "+screen.ErrorFact(st.IndexReason))
	}
	if st.StoreReason != nil {
		lines = append(lines, "the index is in memory only and rebuilt at each start: "+reason(st.StoreReason))
	}
	if st.TimesReason != nil {
		lines = append(lines, "no durations: "+screen.ErrorFact(st.TimesReason))
	}
	if st.InfoProblem != nil {
		lines = append(lines, "info.txt cannot be shown: "+screen.ErrorLine(st.InfoProblem))
	}
	return lines
}

// problem tells what part of the data is missing.
func problem(st lazy.Status, g *screen.Glyphs) string {
	var e *format.Error
	var file *fs.PathError
	text := screen.ErrorLine(st.Problem)
	switch {
	case st.Phase == lazy.PhaseFailed && errors.As(st.Problem, &file):
		return "no temporary file (see TMPDIR): " + reason(st.Problem)
	case st.Phase == lazy.PhaseFailed:
		return text
	case errors.Is(st.Problem, lazy.ErrRecording):
		text = "still being recorded: showing what has been written so far; " + screen.ActionKey("follow", g) + " follows it"
	case errors.Is(st.Problem, lazy.ErrUnfinished) && errors.As(st.Problem, &e):
		text = screen.OneLine(e.Err) + "; " + e.Hint
	case errors.Is(st.Problem, format.ErrTruncated) && errors.As(st.Problem, &e) && e.Offset >= 0:
		text = fmt.Sprintf("cut short at offset %s: no more can be read", screen.Grouped(e.Offset))
	}
	if st.Unfinished > 0 {
		text += "; " + screen.Plural(int64(st.Unfinished), "event") + " unfinished"
	}
	return text
}

// reason tells why a file could not be written, with the cause before the name of the file: a
// narrow window cuts off the end of a line.
func reason(err error) string {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err.Error() + ", " + e.Op + " " + e.Path
	}
	return screen.ErrorLine(err)
}
