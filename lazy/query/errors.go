package query

import (
	"errors"
	"fmt"
	"strings"
)

// mostChoices is how many locations a hint names.
const mostChoices = 10

// Hint tells what a name may mean that is not in the trace, or there more than once, as an error says; "" if nothing is
// known, or the error is another one.
func Hint(err error) string {
	var many *ManyLocationsError
	var column *ColumnError
	var method *NoMethodError
	var location *NoLocationError
	var near []string
	switch {
	case errors.As(err, &many):
		list, more := many.Choices, ""
		if n := len(list) - mostChoices; n > 0 {
			list, more = list[:mostChoices], fmt.Sprintf(" and %d more", n)
		}
		return "name one: " + strings.Join(list, ", ") + more
	case errors.As(err, &column) && column.Help != "":
		return column.Help
	case errors.As(err, &column) && len(column.Can) == 0:
		return ""
	case errors.As(err, &column):
		return "there are " + strings.Join(column.Can, ", ")
	case errors.As(err, &method):
		near = method.Near
	case errors.As(err, &location):
		near = location.Near
	}
	if len(near) == 0 {
		return ""
	}
	return "the nearest: " + strings.Join(near, ", ")
}

// IsMissing reports whether an error tells that the trace has no such method or location.
func IsMissing(err error) bool {
	var method *NoMethodError
	var location *NoLocationError
	return errors.As(err, &method) || errors.As(err, &location)
}

// NoMethodError is the error that a trace has no method of a name.
type NoMethodError struct {
	Method string
	Near   []string // names of the trace that are spelled alike, the nearest first
}

func (e *NoMethodError) Error() string { return "the trace has no method " + e.Method }

// ColumnError is the error that calls have no column of a name, or cannot be sorted or grouped by it.
type ColumnError struct {
	Name string
	To   string // "sort", "group" or "show"
	Can  []string
	Why  string // "" if there is no such column
	Help string // what to do, in place of Can
}

func (e *ColumnError) Error() string {
	text := "calls have no column " + e.Name + " of values"
	if e.To != "show" {
		text = fmt.Sprintf("calls cannot be %s by %s", map[string]string{"sort": "sorted", "group": "grouped"}[e.To], e.Name)
	}
	if e.Why != "" {
		text += ": " + e.Why
	}
	return text
}

// NoLocationError is the error that a trace has no such location.
type NoLocationError struct {
	Text string
	Near []string // names that are spelled alike, the nearest first
}

func (e *NoLocationError) Error() string {
	return fmt.Sprintf("the trace has no field, variable or object %s", e.Text)
}

// ManyLocationsError is the error that a text names several locations.
type ManyLocationsError struct {
	Text    string
	Choices []string // their texts
}

func (e *ManyLocationsError) Error() string {
	return fmt.Sprintf("%s may be one of %d locations", e.Text, len(e.Choices))
}

// NoObjectError is the error that a text names no object, but values without identity.
type NoObjectError struct{ Text string }

func (e *NoObjectError) Error() string {
	return e.Text + " is no object: 0 is written for values without identity, and several may be written so"
}

// TooManyError is the error of a filter with a has(…) that matches more points than can be kept.
type TooManyError struct {
	Filter string
	Most   int
}

func (e *TooManyError) Error() string {
	return fmt.Sprintf("has(%s) matches more than %d points; narrow it down", e.Filter, e.Most)
}

// StepError is the error of a step that does not fit the trace.
type StepError struct {
	Step Step
	Err  error
}

func (e *StepError) Error() string { return e.Step.String() + ": " + e.Err.Error() }

func (e *StepError) Unwrap() error { return e.Err }

// ErrHidden is the error for an event that the folded view does not show.
var ErrHidden = errors.New("hidden by folding")
