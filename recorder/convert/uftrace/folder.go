package uftrace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

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

// maxFunctions bounds the functions that are distinguished.
const maxFunctions = 1 << 19

// maxOpen bounds the calls of a thread that are open at the same time: more are not recorded by uftrace.
const maxOpen = 1 << 16

// Limits of what task.txt can list.
const (
	maxSessions  = 1 << 14
	maxTasks     = 1 << 17
	maxLibraries = 1 << 16 // loaded by dlopen, in all sessions
)

// Why something of the input is not in the trace, or was changed. The places are unknown: they are in several files.
var (
	lostRecords      = fit.Why("record that the recorder lost", "records that the recorder lost")
	noBegin          = fit.Why("end of a call without its beginning", "ends of calls without their beginning")
	unseenEnds       = fit.Why("call whose end was not recorded", "calls whose ends were not recorded")
	estimatedEnds    = fit.Why("call whose end was estimated by the recorder's --estimate-return", "calls whose ends were estimated by the recorder's --estimate-return")
	inherited        = fit.Why("call of a parent process, open when it forked; it begins anew", "calls of parent processes, open when they forked; they begin anew")
	unknownLayout    = fit.Why("call with values of an unknown type", "calls with values of unknown types")
	damagedParts     = fit.Why("damaged part of a thread's records", "damaged parts of threads' records")
	cutShort         = fit.Why("file that ends within a record", "files that end within a record")
	unknownEvents    = fit.Why("event of an unknown kind", "events of unknown kinds")
	callSites        = fit.Why("address of a call's place", "addresses of calls' places")
	kernelFiles      = fit.Why("file of kernel functions", "files of kernel functions")
	perfFiles        = fit.Why("file of scheduling events", "files of scheduling events")
	externFiles      = fit.Why("file of external messages", "files of external messages")
	unreadable       = fit.Why("file that cannot be read", "files that cannot be read")
	badLines         = fit.Why("line that is not understood", "lines that are not understood")
	tooManySessions  = fit.Why(fmt.Sprintf("program beyond the first %d", maxSessions), fmt.Sprintf("programs beyond the first %d", maxSessions))
	tooManyTasks     = fit.Why(fmt.Sprintf("thread beyond the first %d", maxTasks), fmt.Sprintf("threads beyond the first %d", maxTasks))
	tooManyLibraries = fit.Why(fmt.Sprintf("loaded library beyond the first %d", maxLibraries), fmt.Sprintf("loaded libraries beyond the first %d", maxLibraries))
	tooManySymbols   = fit.Why("symbol that exceeds the memory for symbols", "symbols that exceed the memory for symbols")
	tooManyFunctions = fit.Why(fmt.Sprintf("call of a function beyond the first %d", maxFunctions), fmt.Sprintf("calls of functions beyond the first %d", maxFunctions))
	tooDeep          = fit.Why(fmt.Sprintf("call nested more than %d deep", maxOpen), fmt.Sprintf("calls nested more than %d deep", maxOpen))
)
