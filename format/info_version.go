package format

import (
	"bytes"
	"strconv"
)

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
