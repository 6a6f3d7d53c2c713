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
