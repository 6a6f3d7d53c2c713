package format

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// Version is the version of the format that a file is written in: the second
// half of its header. All files of a trace have the same. What the versions
// share is in the files of this package that are named after what they are
// about; what is particular to one is in v22.go and v27.go, and is chosen where
// cursor and Version look at it. To know another version, add its file and its
// cases there, its line here and its text (see [Context]).
type Version uint8

// The versions that are read and written.
const (
	// V19 has the bytes of V22, but code locations without a kind, fields without
	// volatile, and live breakpoints without a UUID. No file of it was at hand:
	// reading it is untried.
	V19 Version = 19
	V22 Version = 22
	V27 Version = 27

	// Newest is what is written unless something else is asked for.
	Newest = V27
)

// releases are those of Lincheck that write a version of the format, by the
// first version that they write.
var releases = [...]struct {
	version int64
	name    string
}{
	{5, "Lincheck 3.0-alpha"}, {6, "Lincheck 3.0"}, {8, "Lincheck 3.1 to 3.2"}, {10, "Lincheck 3.2.2"},
	{12, "Lincheck 3.2.3 to 3.3.2"}, {13, "Lincheck 3.3.3 to 3.3.6"}, {14, "Lincheck 3.4"}, {15, "Lincheck 3.4.1"},
	{16, "Lincheck 3.4.2"}, {18, "Lincheck 3.4.3 to 3.4.5"}, {19, "Lincheck 3.4.6 to 3.5"}, {22, "Lincheck 3.6"},
	{27, "Lincheck 3.7"},
}

// releaseOf names the releases that write a version; "" for none.
func releaseOf(version int64) string {
	for _, r := range releases {
		if r.version == version {
			return r.name
		}
	}
	return ""
}

// Release names the releases of Lincheck that read and write the version.
func (v Version) Release() string { return releaseOf(int64(v)) }

// Known reports whether the version is one that is read and written here.
func (v Version) Known() bool { return v == V19 || v == V22 || v == V27 }

// String returns the number of the version.
func (v Version) String() string { return strconv.Itoa(int(v)) }

// unknown is the error of a version in a header that is not read.
func unknown(version int64) error {
	e := &Error{Offset: headerVersionAt, Err: ErrVersion, Expected: fmt.Sprintf("version %d, %d or %d", V27, V22, V19), Found: fmt.Sprintf("version %d", version),
		Hint: fmt.Sprintf("record the program again with %s (version %d) or %s (version %d)", V27.Release(), V27, V22.Release(), V22)}
	switch release := releaseOf(version); {
	case release != "":
		e.Found += ", which " + release + " writes"
	case version > int64(Newest):
		e.Found += ", which is newer"
		e.Hint = "a newer tracex may read it; else " + e.Hint
	default:
		e.Found += ", which no release writes"
	}
	return e
}

// ParseVersion reads the version that something is to be written in, as a person
// writes it. V19 is read alone.
func ParseVersion(s string) (Version, error) {
	switch strings.TrimPrefix(s, "v") {
	case "22":
		return V22, nil
	case "27":
		return V27, nil
	}
	return 0, fmt.Errorf("cannot write format version %q, only %d (%s) and %d (%s)", s, V27, V27.Release(), V22, V22.Release())
}

// PointClass returns the class of a trace point by the byte that follows its
// kind. ok is false when the version has none of that number.
func (v Version) PointClass(b byte) (c Class, ok bool) {
	if b >= classCount {
		return 0, false
	}
	if v >= V27 {
		return classes27[b], true
	}
	return Class(b), true
}

// classes returns the classes of trace points by the byte that follows their kind.
func (v Version) classes() *[classCount]Class {
	if v >= V27 {
		return &classes27
	}
	return &classes22
}

// ClassByte is the inverse of PointClass.
func (v Version) ClassByte(c Class) byte {
	if v >= V27 && c < classCount {
		return classBytes27[c]
	}
	return byte(c)
}

// StatusCount returns how many diff statuses the header of a container has, by
// the byte before them.
func (v Version) StatusCount(n byte) int {
	if v >= V27 {
		return max(0, int(int8(n)))
	}
	return int(n)
}

// noStatuses is the byte before the diff statuses of a container that has none.
func (v Version) noStatuses() byte {
	if v >= V27 {
		return 0xff
	}
	return 0
}

// ReferenceID returns the id of the reference object at the start of b, which is
// whole: a scan has its size.
func (v Version) ReferenceID(b []byte) int32 {
	at := referenceIDAt
	if Kind(b[KindAt]) == KindCodeLocation && v > V19 {
		at = locationIDAt
	}
	return int32(binary.BigEndian.Uint32(b[at:]))
}

// lacks is the error of what a version has no bytes for.
func (v Version) lacks(what string) error {
	return &Error{Offset: -1, Err: ErrVersionLacks, Found: fmt.Sprintf("%s in version %d", what, v)}
}
