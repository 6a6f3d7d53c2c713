package uftrace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"

	"tracex/format"
	"tracex/recorder/convert/fit"
)

// maxLine bounds a line of a text file in bytes: longer ones are cut. The longest that uftrace
// writes are the specifications of all library functions, some 20 KiB.
const maxLine = 1 << 20

// folder is a data directory. Names in it are never paths.
type folder struct {
	files fs.FS
	path  string // for messages
}

var errNotRegular = errors.New("not a regular file")

// open opens a regular file. A named pipe would block.
func (d *folder) open(name string) (fs.File, error) {
	info, err := fs.Stat(d.files, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errNotRegular}
	}
	return d.files.Open(name)
}

// has reports whether a file is there.
func (d *folder) has(name string) bool {
	info, err := fs.Stat(d.files, name)
	return err == nil && info.Mode().IsRegular()
}

// fault is an error about a file of the directory.
func (d *folder) fault(name string, offset int64, err error, expected, found, hint string) error {
	return &format.Error{File: filepath.Join(d.path, name), Offset: offset, Expected: expected, Found: found, Hint: hint, Err: err}
}

// lines passes each line of a text file to do, without its end, until do returns false. A line is
// valid until do returns.
func (d *folder) lines(name string, do func(line []byte) bool) error {
	f, err := d.open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return eachLine(f, do)
}

// eachLine passes each line of r to do, cut to maxLine bytes, until do returns false.
func eachLine(r io.Reader, do func(line []byte) bool) error {
	l := fit.NewLines(r, maxLine)
	for l.Next() && do(l.Line) {
	}
	return l.Err
}

// Why something of the input is not in the trace, or was changed. The places are unknown: they are in several files.
var (
	unreadable = fit.Why("file that cannot be read", "files that cannot be read")
	badLines   = fit.Why("line that is not understood", "lines that are not understood")
)

// The header of info. On disk, do not change.
const (
	magic      = "Ftrace!\x00"
	headerSize = 40

	versionAt  = 8
	sizeAt     = 12
	endianAt   = 14
	classAt    = 15
	featuresAt = 16
	maxStackAt = 32

	oldestVersion = 3
	newestVersion = 4

	littleEndian = 1
	bigEndian    = 2
	class32      = 1
	class64      = 2

	// Bits of features.
	featureDebugInfo     = 1 << 10 // specifications are in NAME.dbg
	featureEstimatedEnds = 1 << 11 // there are no exits
)

// depthBits is the width of the depth in a record: deeper stacks are recorded modulo 1,024.
const depthBits = 10

const (
	infoFile   = "info"
	tasksFile  = "task.txt"
	eventsFile = "events.txt"
)

// info is what the file info says.
type info struct {
	features  uint64
	wordSize  int // of the recorded machine: 4 or 8 bytes
	deepStack bool
	arm       bool // 32-bit ARM, where a long double is a double

	argSpec, retSpec string // given by the user
	autoArg, autoRet string // of library functions
	autoEnum         string
	autoArgs         bool // all functions that have debug information
	glob             bool // patterns are those of a shell, not regular expressions
	simple           bool // patterns are names
	offset           int64
	hasOffset        bool // offset is that of the wall clock from the recorder's, in s
}

// readInfo reads info.
func (d *folder) readInfo() (*info, error) {
	f, err := d.open(infoFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, d.fault(infoFile, -1, format.ErrNotTrace, "the file info of a uftrace data directory", "none",
			"uftrace writes it when the recording ends: was the recorder killed?")
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return d.parseInfo(f)
}

func (d *folder) parseInfo(r io.Reader) (*info, error) {
	var head [headerSize]byte
	if n, err := io.ReadFull(r, head[:]); err == io.EOF || err == io.ErrUnexpectedEOF {
		if n < len(magic) || string(head[:len(magic)]) != magic {
			return nil, d.notInfo(head[:n])
		}
		return nil, d.fault(infoFile, int64(n), format.ErrTruncated, fmt.Sprintf("a header of %d bytes", headerSize), "the end of the file", "")
	} else if err != nil {
		return nil, err
	}
	i, rest, err := d.parseHeader(head[:])
	if err != nil {
		return nil, err
	}
	if _, err := io.CopyN(io.Discard, r, rest); err != nil && err != io.EOF {
		return nil, err
	}
	err = eachLine(r, func(line []byte) bool {
		key, value, ok := bytes.Cut(line, []byte{':'})
		if ok {
			i.take(string(key), value)
		}
		return true
	})
	return i, err
}

func (d *folder) notInfo(head []byte) error {
	return d.fault(infoFile, 0, format.ErrNotTrace, strconv.Quote(magic), fmt.Sprintf("%q", head[:min(len(head), len(magic))]), "")
}

// parseHeader returns what the header says, and how many of its bytes follow.
func (d *folder) parseHeader(head []byte) (i *info, rest int64, err error) {
	if string(head[:len(magic)]) != magic {
		return nil, 0, d.notInfo(head)
	}
	if head[endianAt] != littleEndian {
		found := fmt.Sprint("byte order ", head[endianAt])
		if head[endianAt] == bigEndian {
			found = "a recording of a big-endian machine"
		}
		return nil, 0, d.fault(infoFile, endianAt, format.ErrVersion, "little endian (1)", found, "")
	}
	order := binary.LittleEndian
	if v := order.Uint32(head[versionAt:]); v < oldestVersion || v > newestVersion {
		return nil, 0, d.fault(infoFile, versionAt, format.ErrVersion, fmt.Sprintf("version %d or %d of uftrace's data", oldestVersion, newestVersion),
			fmt.Sprint("version ", v), "")
	}
	i = &info{features: order.Uint64(head[featuresAt:]), wordSize: 8}
	switch head[classAt] {
	case class64:
	case class32:
		i.wordSize = 4
	default:
		return nil, 0, d.fault(infoFile, classAt, format.ErrCorrupt, "1 (32 bits) or 2 (64 bits)", fmt.Sprint(head[classAt]), "")
	}
	i.deepStack = order.Uint16(head[maxStackAt:]) > 1<<depthBits
	return i, max(int64(order.Uint16(head[sizeAt:]))-headerSize, 0), nil
}

// take takes a line of info. The lines with numbers of lines, such as argspec:lines=4, say nothing.
func (i *info) take(key string, value []byte) {
	if bytes.HasPrefix(value, []byte("lines=")) {
		return
	}
	texts := map[string]*string{
		"argspec": &i.argSpec, "retspec": &i.retSpec, "argauto": &i.autoArg, "retauto": &i.autoRet, "enumauto": &i.autoEnum,
	}
	if to := texts[key]; to != nil {
		*to = string(value)
		return
	}
	switch key {
	case "auto-args":
		i.autoArgs = len(value) > 0 && value[0] == '1'
	case "pattern_type":
		i.glob, i.simple = string(value) == "glob", string(value) == "simple"
	case "utc_offset":
		n, err := strconv.ParseInt(string(value), 10, 64)
		const farthest = 1 << 33 // s: some 270 years
		i.offset, i.hasOffset = n, err == nil && n > -farthest && n < farthest
	case "cpuinfo":
		i.arm = i.arm || bytes.HasPrefix(value, []byte("desc=ARMv6")) || bytes.HasPrefix(value, []byte("desc=ARMv7"))
	}
}
