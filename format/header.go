package format

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unicode/utf8"
)

// On disk, do not change.
const (
	DataMagic  uint64 = 0x706e547124ee5f70
	IndexMagic uint64 = ^DataMagic
)

// AppendDataHeader appends the 16-byte header of a data file.
func AppendDataHeader(dst []byte, v Version) []byte {
	dst = binary.BigEndian.AppendUint64(dst, DataMagic)
	return binary.BigEndian.AppendUint64(dst, uint64(v))
}

// AppendIndexHeader appends the 16-byte header of an index file.
func AppendIndexHeader(dst []byte, v Version) []byte {
	dst = binary.BigEndian.AppendUint64(dst, IndexMagic)
	return binary.BigEndian.AppendUint64(dst, uint64(v))
}

// CheckDataHeader checks the header of a data file and returns its version. head is the beginning of
// the file. Callers should pass up to 512 bytes, so that the error can tell what else the file is.
func CheckDataHeader(head []byte) (Version, error) { return checkHeader(head, DataMagic, "trace") }

// CheckIndexHeader is CheckDataHeader for an index file.
func CheckIndexHeader(head []byte) (Version, error) { return checkHeader(head, IndexMagic, "index") }

func checkHeader(head []byte, magic uint64, what string) (Version, error) {
	if len(head) == 0 {
		return 0, &Error{Offset: -1, Err: ErrNotTrace, Found: "the file is empty",
			Hint: "the recorder was stopped before it wrote anything, or the disk was full"}
	}
	expected := fmt.Sprintf("the %s magic %016x", what, magic)
	if len(head) < HeaderSize {
		var want [8]byte
		binary.BigEndian.PutUint64(want[:], magic)
		if n := min(len(head), 8); bytes.Equal(head[:n], want[:n]) {
			return 0, &Error{Offset: int64(len(head)), Err: ErrTruncated,
				Expected: fmt.Sprintf("a header of %d bytes", HeaderSize),
				Found:    fmt.Sprintf("the end of the file after %d", len(head))}
		}
		return 0, notTrace(head, expected)
	}
	if found := binary.BigEndian.Uint64(head); found != magic {
		return 0, notTrace(head, expected)
	}
	return checkVersion(int64(binary.BigEndian.Uint64(head[headerVersionAt:])))
}

// notTrace returns the error for a file without the magic. It tells what the file is.
func notTrace(head []byte, expected string) error {
	e := &Error{Offset: 0, Err: ErrNotTrace, Expected: expected}
	if len(head) >= 8 {
		switch binary.BigEndian.Uint64(head) {
		case DataMagic:
			e.Found = "the magic of trace data"
			e.Hint = "this is the data file; its index has the same name with " + IndexSuffix + " added"
			return e
		case IndexMagic:
			e.Found = "the magic of a trace index"
			e.Hint = "name the data file: the same name without " + IndexSuffix
			return e
		case TimesMagic:
			e.Found = "the magic of a trace's times"
			e.Hint = "name the data file: the same name without " + TimesSuffix
			return e
		}
	}
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		e.Found, e.Err = "a ZIP file", ErrZIP
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		e.Found = "gzip-compressed data"
		e.Hint = "decompress it first: gzip -dc FILE > trace.bin"
	case bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")):
		e.Found = "zstd-compressed data"
		e.Hint = "decompress it first: zstd -d FILE -o trace.bin"
	case bytes.HasPrefix(head, []byte("\xfd7zXZ\x00")):
		e.Found = "xz-compressed data"
		e.Hint = "decompress it first: xz -dc FILE > trace.bin"
	case isText(head):
		e.Found = fmt.Sprintf("text (%q…)", firstLine(head))
		e.Hint = "a trace is a binary file, such as a recorder writes with format=binary"
	case isPackets(head):
		e.Found = fmt.Sprintf("bytes %x, perhaps packets of Perfetto", head[:min(len(head), 8)])
		e.Err = ErrPackets
	default:
		e.Found = fmt.Sprintf("bytes %x", head[:min(len(head), 8)])
	}
	return e
}

// isPackets reports whether head may begin a Perfetto trace: field 1 of a message, a packet,
// which itself consists of fields.
func isPackets(head []byte) bool {
	if len(head) == 0 || head[0] != 1<<3|2 {
		return false
	}
	length, n := binary.Uvarint(head[1:])
	if n <= 0 || length < 2 || len(head) <= 1+n {
		return false
	}
	field, wire := head[1+n]>>3, head[1+n]&7
	return field != 0 && (wire == 0 || wire == 1 || wire == 2 || wire == 5)
}

func isText(head []byte) bool {
	for i := 0; i < len(head); {
		r, n := utf8.DecodeRune(head[i:])
		if r == utf8.RuneError && n == 1 && len(head)-i >= utf8.UTFMax {
			return false
		}
		if r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f' {
			return false
		}
		i += n
	}
	return true
}

func firstLine(head []byte) []byte {
	if i := bytes.IndexAny(head, "\r\n"); i >= 0 {
		head = head[:i]
	}
	return head[:min(len(head), 24)]
}

// unknown returns the error for a version in a header that is not supported.
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

// checkVersion checks the version in a header.
func checkVersion(found int64) (Version, error) {
	if v := Version(found); int64(v) == found && v.Known() {
		return v, nil
	}
	return 0, unknown(found)
}
