package format

import (
	"fmt"
	"strconv"
	"strings"
)

// Version is the version of the format that a file is written in: the second half of its
// header. All files of a trace have the same. Files of this package named after a subject
// contain what the versions share. value_22.go and value_27.go contain what is specific to one version;
// reader and Version choose between them. To support another version, add its file, its cases,
// its line here, its text (see [Context]) and its translation (translate_22.go, translate_27.go);
// outside, the layout of what a program records (package recorder/internal/values), and the words of
// package cli and docs/versions.md.
type Version uint8

// The versions supported.
const (
	// V19 has the bytes of V22, but code locations without a kind, fields without volatile, and live
	// breakpoints without a UUID. Reading it is untested, as no file of this version was available.
	V19 Version = 19
	V22 Version = 22
	V27 Version = 27

	// Newest is the version written by default.
	Newest = V27
)

// releases are the Lincheck releases that write a version of the format, by the first version
// that they write.
var releases = [...]struct {
	version int64
	name    string
}{
	{5, "Lincheck 3.0-alpha"}, {6, "Lincheck 3.0"}, {8, "Lincheck 3.1 to 3.2"}, {10, "Lincheck 3.2.2"},
	{12, "Lincheck 3.2.3 to 3.3.2"}, {13, "Lincheck 3.3.3 to 3.3.6"}, {14, "Lincheck 3.4"}, {15, "Lincheck 3.4.1"},
	{16, "Lincheck 3.4.2"}, {18, "Lincheck 3.4.3 to 3.4.5"}, {19, "Lincheck 3.4.6 to 3.5"}, {22, "Lincheck 3.6"},
	{27, "Lincheck 3.7"},
}

// releaseOf names the releases that write a version; "" if none.
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

// Known reports whether the version is supported here.
func (v Version) Known() bool { return v == V19 || v == V22 || v == V27 }

// String returns the number of the version.
func (v Version) String() string { return strconv.Itoa(int(v)) }

// ParseVersion parses the version to write, as a person types it. V19 is refused: it
// can only be read.
func ParseVersion(s string) (Version, error) {
	switch strings.TrimPrefix(s, "v") {
	case "22":
		return V22, nil
	case "27":
		return V27, nil
	}
	return 0, fmt.Errorf("cannot write format version %q, only %d (%s) and %d (%s)", s, V27, V27.Release(), V22, V22.Release())
}

// PointClass returns the class of a trace point by the byte that follows its kind. ok is false
// if the version has no class of that number.
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

// StatusCount returns how many diff statuses the header of a container has, by the byte before them.
func (v Version) StatusCount(n byte) int {
	if v >= V27 {
		return max(0, int(int8(n)))
	}
	return int(n)
}

// noStatuses returns the byte before the diff statuses of a container that has none.
func (v Version) noStatuses() byte {
	if v >= V27 {
		return 0xff
	}
	return 0
}

// lacks returns the error for something that a version cannot encode.
func (v Version) lacks(what string) error {
	return &Error{Offset: -1, Err: ErrVersionLacks, Found: fmt.Sprintf("%s in version %d", what, v)}
}

// What a version has, for those that write traces and texts: they ask here instead of comparing
// versions.

// Writable reports whether traces of the version can be written; V19 can only be read.
func (v Version) Writable() bool { return v == V22 || v == V27 }

// WritableVersion returns the version of a number; ok is false if none of that number can be written.
func WritableVersion(n uint64) (v Version, ok bool) {
	v = Version(n)
	return v, uint64(v) == n && v.Writable()
}

// HasValue reports whether the version has values of a kind.
func (v Version) HasValue(k ValueKind) bool {
	if v >= V27 {
		return k < valueKindCount && kindBytes27[k] != lacks27
	}
	return k == ValueObject || k == ValueArray || k < valueKindCount && classIDs22[k] != 0
}

// HasLocation reports whether the version has code locations of a kind.
func (v Version) HasLocation(k LocationKind) bool { return k < LocationLoop || v >= V27 }

// CountsPoints reports whether the info.txt of the version has the number of trace points.
func (v Version) CountsPoints() bool { return v >= V27 }

// HeadsEmptyThreads reports whether the text of several threads has a line for one without points.
func (v Version) HeadsEmptyThreads() bool { return v < V27 }

// Thrown returns the footer of a call that threw, as recorders of the version write it.
func (v Version) Thrown(exception string) Footer {
	f := Footer{Exception: exception, Threw: true, Result: Value{Kind: ValueVoid}}
	if v >= V27 {
		f.Result.Kind = ValueUnfinished
	}
	return f
}

// classNames27 are the classes of values that have none in the file.
var classNames27 = map[ValueKind]string{
	ValueString: "java.lang.String", ValueBigInteger: "java.math.BigInteger", ValueBigDecimal: "java.math.BigDecimal",
	ValueJavaClass: "java.lang.Class", ValueKotlinClass: "kotlin.reflect.KClass",
}

// ClassName returns the name of the class of a value that has none in the file and is no primitive;
// ok is false if it has no class. Version 22 has a string in place of all that it lacks.
func (v Version) ClassName(k ValueKind) (name string, ok bool) {
	if v >= V27 {
		name, ok = classNames27[k]
		return name, ok
	}
	switch k {
	case ValueUnit:
		return "kotlin.Unit", true
	case ValueVoid:
		return "void", true
	}
	return "java.lang.String", true
}
