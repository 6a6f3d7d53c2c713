// Package uftrace converts the data directories of uftrace: what `uftrace record` writes about
// programs in C, C++, Rust and Python.
//
// # How records are converted
//
//	task                         thread: "demo 12 › demo 34", by names and numbers of its process and
//	                             itself; in order of their first records
//	entry, exit                  call; its class is the module of a Python function, else empty
//	argument, result             value, by its specification:
//	    d, i, u                  number; of an unknown type and like an address: 0x7ffd…
//	    x, o                     text without quotes: 0x1f, 017
//	    s, S                     string; null if the recorder wrote that it was one
//	    c, f                     character, float or double; a long double becomes a double
//	    p                        text without quotes: &symbol or 0x7ffd…; null
//	    e                        text without quotes: RED, or RED|BLUE+0x10
//	    t                        text without quotes: point{…}
//	no result recorded           void
//	source line (--srcline, -a)  place of the call; it is the line of the function
//	end that was not recorded    call with the result <unfinished method>: it ends where the next
//	                             record shows that it has ended, by its depth. So end the calls that
//	                             longjmp, an exception, exec or a signal leaves, and lost ones
//	fork                         the calls that were open in the parent begin with the child's records
//	event of a user              call without a duration: provider:event
//	read:…, diff:…               call without a duration, with named numbers: diff:page-fault(major = 1, …)
//	watch:cpu, watch:var         variable
//	function without a symbol    <addr 0x55e41000>
//	kernel, perf and other data  left out and counted
//
// # Files of a directory
//
//	info         header and lines of text; what was recorded, and how arguments were specified
//	task.txt     lines: SESS (a program begins), TASK (a thread), FORK (a process), DLOP (dlopen)
//	sid-X.map    the mapped files of session X, as in /proc/self/maps
//	NAME.sym     symbols of a mapped file: address, size (not in older ones), type, name
//	NAME.dbg     of its functions: address, source line, specifications of arguments and results
//	events.txt   names of users' events
//	TID.dat      records of a thread, in order of time
//
// All integers are in the byte order of the recorded machine; big endian is refused, as uftrace
// supports no such machine. The header of info:
//
//	offset  0         8         12       14       15       16         24      32     34       40
//	        +---------+---------+--------+--------+--------+----------+-------+------+--------+
//	        | Ftrace! | version | size   | endian | class  | features | lines | max  | unused |
//	        | NUL     | 3 or 4  | of it  | 1 or 2 | 1 or 2 | bits     | bits  | stack|        |
//	        +---------+---------+--------+--------+--------+----------+-------+------+--------+
//
// A record:
//
//	offset  0            8                                                 16
//	        +------------+-------------------------------------------------+----------------+
//	        | time in ns | bits: type 2, more 1, magic 3, depth 10, addr 48| data, if more  |
//	        +------------+-------------------------------------------------+----------------+
//
// type is 0 for an entry, 1 for an exit, 2 for lost records (addr is their number, the time may be
// 0), and 3 for an event (addr is its id). The data of an event has its size in two bytes before
// it. That of an entry or exit is the values, each padded to 4 bytes, a string with its size in
// two bytes before it. Which values these are is only in the specifications, in info and in
// NAME.dbg. All data is padded to 8 bytes. Where no specification is found, the next record is
// searched for.
//
// The formats are those of uftrace's own code, versions 0.9 to 0.19, file format 3 and 4: uftrace.h,
// libmcount/record.c, utils/data-file.c, utils/symbol.c, utils/dwarf.c, utils/argspec.c.
//
// # Times
//
// Times are in ns on the recorder's clock, which is CLOCK_MONOTONIC unless its user chose another.
// The first record of all threads is moment 0. Its wall time is known, to the second, if info
// has the offset of the clock (since version 0.14).
//
// # Limits
//
// Files are read in pieces of fixed size. What is remembered, such as sessions, symbols and open
// calls, has limits; reaching one is counted. The input is not trusted: no file outside of
// the directory is opened, and damage is left out and counted.
package uftrace

import (
	"cmp"
	"context"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/fit"
	"tracex/recorder/convert/sources"
)

// Why something of the input is not in the trace, or was changed.
var (
	kernelFiles = fit.Why("file of kernel functions", "files of kernel functions")
	perfFiles   = fit.Why("file of scheduling events", "files of scheduling events")
	externFiles = fit.Why("file of external messages", "files of external messages")
)

// Source is the data directories of uftrace.
var Source = sources.Source{
	Name:     "uftrace",
	What:     "a uftrace data directory",
	IsFolder: isFolder,
	Convert:  convertFolder,
}

// isFolder reports whether a folder has an info that begins like uftrace's, and a list of tasks.
func isFolder(path string) bool {
	d := folder{files: os.DirFS(path), path: path}
	if !d.has(tasksFile) {
		return false
	}
	f, err := d.open(infoFile)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [len(magic)]byte
	_, err = io.ReadFull(f, head[:])
	return err == nil && string(head[:]) == magic
}

func convertFolder(ctx context.Context, in sources.Input, prefix string, to *calltrace.Writer) error {
	root, err := os.OpenRoot(in.Path)
	if err != nil {
		return err
	}
	defer root.Close()
	return convert(ctx, &folder{files: root.FS(), path: in.Path}, prefix, in.Progress, to)
}

// conversion is the conversion of a directory.
type conversion struct {
	folder   *folder
	tasks    *tasks
	resolver *resolver
	events   *eventKinds
	heirs    heirs
	left     fit.Tally
	to       *calltrace.Writer
	buffer   []byte
	base     uint64
	read     int64 // bytes of records
	progress func(read int64)
	damage   error // the first fault of a file whose undamaged part was converted
}

func convert(ctx context.Context, d *folder, prefix string, progress func(int64), to *calltrace.Writer) error {
	machine, err := d.readInfo()
	if err != nil {
		return err
	}
	c := &conversion{folder: d, to: to, progress: progress, buffer: make([]byte, bufferSize), heirs: heirs{of: make(map[int][]open)}}
	defer to.LeaveAll(&c.left)
	if c.tasks, err = d.readTasks(&c.left); err != nil {
		return err
	}
	files, err := c.list(ctx)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return d.fault("", -1, format.ErrNotTrace, "files of records, such as 1234.dat", "none with a record", "")
	}
	// Times count from the first record, so that they are small and the anchor is at it.
	c.base = files[0].first
	if machine.hasOffset {
		to.SetAnchor(time.Unix(machine.offset, int64(c.base)))
	}
	c.events = d.readEvents(to, &c.left)
	c.resolver = newResolver(d, machine, to, &c.left)
	for _, f := range files {
		cut, damaged := c.left.Counted(cutShort), c.left.Counted(damagedParts)
		if err := c.convertTask(ctx, f, prefix); err != nil {
			return err
		}
		c.noteDamage(f.name, c.left.Counted(cutShort) > cut, c.left.Counted(damagedParts) > damaged)
	}
	return c.damage
}

// noteDamage keeps the fault of the first file that is cut short or damaged.
func (c *conversion) noteDamage(name string, cut, damaged bool) {
	switch {
	case c.damage != nil:
	case cut:
		c.damage = c.folder.fault(name, -1, format.ErrTruncated, "", "the end of the file within a record", "")
	case damaged:
		c.damage = c.folder.fault(name, -1, format.ErrCorrupt, "records", "something else between them", "")
	}
}

// taskFile is a file of records.
type taskFile struct {
	name  string
	tid   int
	first uint64 // time of its first record
}

// otherFiles are files whose records are not converted, by the beginning of their names.
var otherFiles = []struct {
	prefix string
	why    fit.Reason
}{{"kernel", kernelFiles}, {"perf-cpu", perfFiles}, {"extern", externFiles}}

// list returns the files of records that have any, in order of time.
func (c *conversion) list(ctx context.Context) (files []taskFile, err error) {
	dir, err := c.folder.files.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	lister, ok := dir.(interface {
		ReadDir(n int) ([]os.DirEntry, error)
	})
	if !ok {
		return nil, c.folder.fault("", -1, format.ErrNotTrace, "a folder", "a file", "")
	}
	for {
		const atOnce = 1 << 10
		entries, err := lister.ReadDir(atOnce)
		for _, e := range entries {
			if f, ok := c.fileOf(e); ok {
				files = append(files, f)
			}
		}
		if err == io.EOF {
			break
		}
		if err = cmp.Or(err, context.Cause(ctx)); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(files, func(a, b taskFile) int {
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.tid, b.tid))
	})
	if len(files) > maxTasks {
		c.left.Count(tooManyTasks, int64(len(files)-maxTasks), -1)
		files = files[:maxTasks]
	}
	return files, nil
}

// fileOf returns a file of records, or counts one that is not converted.
func (c *conversion) fileOf(e os.DirEntry) (f taskFile, ok bool) {
	number, ok := strings.CutSuffix(e.Name(), ".dat")
	if !ok {
		return f, false
	}
	f.name = e.Name()
	info, err := e.Info()
	if err != nil || info.Size() == 0 {
		return f, false
	}
	if f.tid, err = strconv.Atoi(number); err != nil || f.tid < 0 || number[0] == '+' {
		for _, other := range otherFiles {
			if strings.HasPrefix(f.name, other.prefix) {
				c.left.Count(other.why, 1, -1)
			}
		}
		return f, false
	}
	f.first, ok, err = c.firstTime(f.name)
	switch {
	case err != nil:
		c.left.Count(unreadable, 1, -1)
	case !ok:
		c.left.Count(damagedParts, 1, -1)
		c.noteDamage(f.name, false, true)
	}
	return f, ok
}

// latestTime is after any time that a clock has, in ns: it would be the year 2096.
const latestTime = 4e18

// firstTime returns the time of the first record of a file. Reports of lost records have none.
func (c *conversion) firstTime(name string) (first uint64, ok bool, err error) {
	f, err := c.folder.open(name)
	if err != nil {
		return 0, false, err
	}
	defer f.Close()
	const looked = 64 << 10
	n, err := io.ReadFull(f, c.buffer[:looked])
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return 0, false, err
	}
	// Values of the first records may lie between; damage, too.
	for b := c.buffer[:n]; len(b) >= recordSize; b = b[dataAlign:] {
		rec, valid := parseRecord(b)
		if valid && rec.time > 0 && rec.time < latestTime && rec.kind != typeLost {
			return rec.time, true, nil
		}
	}
	return 0, false, nil
}

// convertTask converts the records of a task.
func (c *conversion) convertTask(ctx context.Context, f taskFile, prefix string) error {
	file, err := c.folder.open(f.name)
	if err != nil {
		c.left.Count(unreadable, 1, -1)
		return nil
	}
	defer file.Close()
	t := c.tasks.byTID[f.tid]
	if t == nil {
		t = &task{tid: f.tid, pid: f.tid}
	}
	r := &reader{resolver: c.resolver, tasks: c.tasks, task: t, events: c.events, heirs: &c.heirs, left: &c.left, base: c.base,
		named: func(s *session) string { return prefix + threadName(t, s) }}
	r.cursor = newCursor(c.buffer, file, ctx, c.count)
	r.thread = c.to.Thread("")
	if err := r.read(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// count notes that bytes of records were read.
func (c *conversion) count(n int) {
	c.read += int64(n)
	if c.progress != nil {
		c.progress(c.read)
	}
}

// threadName returns the name of a task's thread: its process, and the number of the thread.
func threadName(t *task, s *session) string {
	process := "process"
	if s != nil && s.program != "" {
		process = path.Base(filepath.ToSlash(s.program))
	}
	process += " " + strconv.Itoa(t.pid)
	if t.tid == t.pid {
		return process + " › main"
	}
	return process + " › thread " + strconv.Itoa(t.tid)
}
