package fit

import (
	"strconv"
	"strings"
)

// Method returns the name of a method without its class before it, as tracex export and many other tools write it:
// Order.pay of the class shop.Order is the method pay, new Order its constructor.
func Method(class, name string) string {
	short := class[strings.LastIndexAny(class, "./")+1:]
	if strings.IndexByte(short, '$') >= 0 {
		short = strings.ReplaceAll(short, "$", ".")
	}
	if short == "" {
		return name
	}
	if method, ok := strings.CutPrefix(name, short); ok && len(method) > 1 && method[0] == '.' {
		return method[1:]
	}
	if name == "new "+short {
		return "<init>"
	}
	return name
}

// MayHaveClass reports whether Method may return something else than the name.
func MayHaveClass[T string | []byte](name T) bool {
	for i := range len(name) {
		if name[i] == '.' || name[i] == ' ' {
			return true
		}
	}
	return false
}

// Position reports whether the name of an argument only tells that it is the n-th, from 1, such as arg.1: then it is
// shown without a name.
func Position[T string | []byte](name T, n int) bool {
	digits, ok := strings.CutPrefix(string(name), "arg.")
	return ok && digits == strconv.Itoa(n)
}

// Names of arguments of an event that say how a call ended, if they are its only ones: tracex export writes them.
const (
	Result    = "result"
	Exception = "exception"
)
