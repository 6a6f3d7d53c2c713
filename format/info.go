package format

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Info is the info.txt of a packed trace: how it was recorded. Properties and Environment are
// those of the traced program, and include secrets.
type Info struct {
	Class, Method      string // what was traced; may be ""
	Start, End         int64  // milliseconds since 1970
	JVMArgs, AgentArgs string
	Properties         []Pair
	Environment        []Pair
	Points             *int64 // number of trace points recorded; nil if unknown, as before version 27
	// Odd holds lines that could not be parsed, for a person to look at. They are not written.
	Odd []string
}

// Pair is a key with its value.
type Pair struct{ Key, Value string }

// The lines of an info.txt, in order. On disk, do not change.
//
//	Class: NAME
//	Method: NAME
//	Start time: MS
//	End time: MS
//	JVM arguments: TEXT
//	Agent arguments: TEXT
//	Properties:
//	 KEY=VALUE         any number; in keys \ and = are escaped by \,
//	                   in values \ as \\, and CR, LF, TAB as \r, \n, \t
//	                   (empty line)
//	Environment:
//	 KEY=VALUE
//
// and since version 27
//
//	(empty line)
//	Points: N
const (
	infoClass       = "Class: "
	infoMethod      = "Method: "
	infoStart       = "Start time: "
	infoEnd         = "End time: "
	infoJVM         = "JVM arguments: "
	infoAgent       = "Agent arguments: "
	infoProperties  = "Properties:"
	infoEnvironment = "Environment:"
	infoPoints      = "Points: "
)

// pointsUnknown is what the reference writes for an unknown number of points.
const pointsUnknown = -1

// CompleteInfo returns text, an info.txt, as the reference expects it in a packed trace of this
// version. Since 27 it complains if the line of the points is missing, so CompleteInfo adds one
// that gives their number as unknown.
func (v Version) CompleteInfo(text []byte) []byte {
	if v < V27 || len(text) == 0 || bytes.Contains(text, []byte("\n"+infoPoints)) {
		return text
	}
	end := fmt.Sprint("\n", infoPoints, pointsUnknown, "\n")
	switch {
	case bytes.HasSuffix(text, []byte("\n\n")):
		end = end[1:]
	case text[len(text)-1] != '\n':
		end = "\n" + end
	}
	return append(bytes.Clone(text), end...)
}

// Append appends the info.txt. Line breaks in keys and in the values of the first six lines,
// which the file cannot represent, become spaces.
func (n *Info) Append(dst []byte) []byte {
	for _, l := range [...]struct{ head, text string }{
		{infoClass, n.Class}, {infoMethod, n.Method},
		{infoStart, strconv.FormatInt(n.Start, 10)}, {infoEnd, strconv.FormatInt(n.End, 10)},
		{infoJVM, n.JVMArgs}, {infoAgent, n.AgentArgs},
	} {
		dst = append(dst, l.head...)
		dst = append(dst, oneLine.Replace(l.text)...)
		dst = append(dst, '\n')
	}
	dst = appendPairs(append(dst, infoProperties+"\n"...), n.Properties)
	dst = append(dst, '\n')
	dst = appendPairs(append(dst, infoEnvironment+"\n"...), n.Environment)
	if n.Points != nil {
		dst = append(strconv.AppendInt(append(dst, "\n"+infoPoints...), *n.Points, 10), '\n')
	}
	return dst
}

var (
	oneLine  = strings.NewReplacer("\r\n", " ", "\r", " ", "\n", " ")
	keyLine  = strings.NewReplacer("\r\n", " ", "\r", " ", "\n", " ", `\`, `\\`, "=", `\=`)
	valueOut = strings.NewReplacer(`\`, `\\`, "\r", `\r`, "\n", `\n`, "\t", `\t`)
)

func appendPairs(dst []byte, pairs []Pair) []byte {
	for _, p := range pairs {
		dst = append(dst, ' ')
		dst = append(dst, keyLine.Replace(p.Key)...)
		dst = append(dst, '=')
		dst = append(dst, valueOut.Replace(p.Value)...)
		dst = append(dst, '\n')
	}
	return dst
}

// ParseInfo parses an info.txt. It accepts the lines in any order, allows missing ones, and
// keeps those that it cannot parse in Odd. It fails, with ErrCorrupt, only if no line at all is
// one of an info.txt.
func ParseInfo(text []byte) (*Info, error) {
	n := new(Info)
	known := 0
	var section *[]Pair
	for len(text) > 0 {
		line := nextLine(&text)
		switch {
		case line == "":
			section = nil
		case line == infoProperties:
			section = &n.Properties
			known++
		case line == infoEnvironment:
			section = &n.Environment
			known++
		case section != nil && line[0] == ' ':
			if p, ok := parsePair(line[1:]); ok {
				*section = append(*section, p)
			} else {
				n.Odd = append(n.Odd, line)
			}
		case n.head(line):
			known++
		default:
			n.Odd = append(n.Odd, line)
		}
	}
	if known == 0 {
		found := "nothing"
		if len(n.Odd) > 0 {
			found = fmt.Sprintf("%q", firstLine([]byte(n.Odd[0])))
		}
		return nil, &Error{Offset: 0, Err: ErrCorrupt, Expected: `lines such as "` + infoClass + `…"`, Found: found}
	}
	return n, nil
}

// nextLine cuts the first line off text; CR, LF and both together end one.
func nextLine(text *[]byte) string {
	b := *text
	i := bytes.IndexAny(b, "\r\n")
	if i < 0 {
		*text = nil
		return string(b)
	}
	next := i + 1
	if b[i] == '\r' && next < len(b) && b[next] == '\n' {
		next++
	}
	*text = b[next:]
	return string(b[:i])
}

// head parses a line that is in no section.
func (n *Info) head(line string) bool {
	for _, l := range [...]struct {
		head string
		text *string
	}{{infoClass, &n.Class}, {infoMethod, &n.Method}, {infoJVM, &n.JVMArgs}, {infoAgent, &n.AgentArgs}} {
		if rest, ok := strings.CutPrefix(line, l.head); ok {
			*l.text = rest
			return true
		}
	}
	for _, l := range [...]struct {
		head string
		ms   *int64
	}{{infoStart, &n.Start}, {infoEnd, &n.End}} {
		if rest, ok := strings.CutPrefix(line, l.head); ok {
			ms, err := strconv.ParseInt(rest, 10, 64)
			if err == nil {
				*l.ms = ms
			}
			return err == nil
		}
	}
	if rest, ok := strings.CutPrefix(line, infoPoints); ok {
		points, err := strconv.ParseInt(rest, 10, 64)
		if err == nil && points != pointsUnknown {
			n.Points = &points
		}
		return err == nil
	}
	return false
}

func parsePair(line string) (p Pair, ok bool) {
	key, rest, ok := unescape(line, '=', false)
	if !ok {
		return p, false
	}
	value, _, _ := unescape(rest, 0, true)
	return Pair{key, value}, true
}

// unescape reads up to an unescaped end, or everything if end is 0, and reports whether it
// found end. special gives \r, \n and \t their meaning.
func unescape(s string, end byte, special bool) (text, rest string, found bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\':
			if i++; i == len(s) {
				return b.String(), "", false
			}
			c = s[i]
			if k := strings.IndexByte("rnt", c); special && k >= 0 {
				c = "\r\n\t"[k]
			}
		case c == end && end != 0:
			return b.String(), s[i+1:], true
		}
		b.WriteByte(c)
	}
	return b.String(), "", false
}

// InfoFor returns an info.txt for a version. Since 27 it ends with the number of trace points: the
// number that text has already, or points, where -1 means unknown. Everything else is unchanged.
func InfoFor(text []byte, v Version, points int64) []byte {
	body, said := cutPoints(text)
	switch {
	case v < V27:
		return body
	case said >= 0:
		return text
	}
	if body = v.CompleteInfo(body); points >= 0 {
		unknown := strconv.AppendInt(nil, pointsUnknown, 10)
		body = append(strconv.AppendInt(bytes.TrimSuffix(body, append(unknown, '\n')), points, 10), '\n')
	}
	return body
}

// cutPoints cuts off the last line, with the empty one before it, if it gives the number of
// trace points. It returns that number, or pointsUnknown.
func cutPoints(text []byte) (body []byte, said int64) {
	rest := bytes.TrimRight(text, "\r\n")
	i := bytes.LastIndexByte(rest, '\n') + 1
	if !bytes.HasPrefix(rest[i:], []byte(infoPoints)) {
		return text, pointsUnknown
	}
	said, err := strconv.ParseInt(string(rest[i+len(infoPoints):]), 10, 64)
	if err != nil {
		return text, pointsUnknown
	}
	body = bytes.TrimSuffix(text[:i], []byte("\n"))
	if len(body) > 0 && body[len(body)-1] != '\n' { // there is no empty line
		body = text[:i]
	}
	return body, said
}
