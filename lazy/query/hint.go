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
