package screen

import (
	"errors"
	"io/fs"
	"strings"

	"tracex/format"
)

// ErrorLine returns an error in one line, with its hint.
func ErrorLine(err error) string {
	if hint := format.Hint(err); hint != "" {
		return ErrorFact(err) + "; " + strings.Join(strings.Fields(hint), " ")
	}
	return ErrorFact(err)
}

// ErrorFact returns an error in one line, without its hint, for places where the words around
// it give the advice.
func ErrorFact(err error) string {
	text := err.Error()
	var path *fs.PathError
	if errors.As(err, &path) {
		text = strings.Replace(text, path.Op+" "+path.Path, path.Path, 1)
	}
	var e *format.Error
	if errors.As(err, &e) {
		short := *e
		short.File = ""
		text = short.Error()
	}
	return strings.Join(strings.Fields(text), " ")
}
