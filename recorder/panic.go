package recorder

import (
	"reflect"
	"strings"
)

// PanicType returns the name of the type of what recover returned, for [Thread.Panic]:
// "errors.errorString", "runtime.boundsError".
func PanicType(recovered any) string {
	t := reflect.TypeOf(recovered)
	if t == nil {
		return "nil"
	}
	return strings.TrimLeft(t.String(), "*")
}
