package lazy

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Handle is a short name for a row of a trace, the same on the screen, in output and in
// addresses. There are two kinds:
//
//	#1204332    the event with a number
//	@3+88120    what is at a logical offset of a thread, counted from 1; @3 is the thread itself
//
// Lincheck and tracex give a number to one event of a trace only. In a trace of another
// recorder a number may occur in several threads; then only the second kind is exact.
type Handle struct {
	Numbered bool     // it is the first kind
	Event    int32    // of the first kind
	Position Position // of the second kind
}

// EventHandle returns the handle of the event with a number.
func EventHandle(event int32) Handle { return Handle{Numbered: true, Event: event} }

// PositionHandle returns the handle of a position.
func PositionHandle(p Position) Handle { return Handle{Position: p} }

// String spells the handle: ParseHandle reads it.
func (h Handle) String() string {
	switch {
	case h.Numbered:
		return "#" + strconv.Itoa(int(h.Event))
	case h.Position.At < 0:
		return "@" + strconv.FormatInt(int64(h.Position.Thread)+1, 10)
	}
	return fmt.Sprintf("@%d+%d", int64(h.Position.Thread)+1, h.Position.At)
}

// ParseHandle reads a handle, whose numbers may be grouped: "#1,204,332". It returns false if
// the text is none, or names what no trace can have.
func ParseHandle(text string) (h Handle, ok bool) {
	if number, found := strings.CutPrefix(text, "#"); found {
		n, ok := parseNumber(number, math.MaxInt32)
		return EventHandle(int32(n)), ok
	}
	thread, found := strings.CutPrefix(text, "@")
	if !found {
		return Handle{}, false
	}
	thread, offset, inside := strings.Cut(thread, "+")
	id, ok := parseNumber(thread, math.MaxInt32+1)
	at := int64(-1)
	if inside && ok {
		at, ok = parseNumber(offset, math.MaxInt64)
	}
	if !ok || id == 0 {
		return Handle{}, false
	}
	return PositionHandle(Position{Thread: int32(id - 1), At: at}), true
}

// parseNumber reads a number from 0 to most, which may be grouped by commas or underscores.
func parseNumber(text string, most int64) (n int64, ok bool) {
	if text == "" || text[0] < '0' || text[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.NewReplacer(",", "", "_", "").Replace(text), 10, 64)
	return n, err == nil && n <= most
}
