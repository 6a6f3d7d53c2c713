// Package recorder records what a Go program does, call by call, into a trace that the explorer
// shows and that Lincheck's own reader loads.
//
// A program starts one [Recorder] and gives each goroutine that it records a [Thread]. One line
// records a function:
//
//	defer t.Call(method, location, recorder.Null(), recorder.Int(n)).End(&result)
//
// It records the results, and a panic that passes through. Within a call a Thread records reads
// and writes of fields, variables and elements, loops, and exceptions. Types, methods, fields,
// variables and locations are registered once; from then on they are numbers. If a program
// records what cannot be, for example an Exit without a call, the recorder makes the best of it
// and counts it in [Saved.Misuse].
//
// # Where it goes
//
// A recording goes into a data file, its index and its times, either while the program runs or
// at its end. Or it goes, through memory shared with a tracing service of Perfetto's protocol,
// into packets that outlive the program: see [Strategy]. The latter needs one import,
//
//	import _ "tracex/recorder/shared"
//
// and no other change: it is what happens if the environment names a service's socket in
// PERFETTO_PRODUCER_SOCK_NAME and [Config.Strategy] does not say otherwise. If that service
// does not answer, or the import is missing, the recording goes to the file.
//
// Package recorder/httptrace records requests to a net/http server, recorder/slogtrace the log
// lines of log/slog.
//
// # Versions of the format
//
// A trace has version 27 of the format, which Lincheck 3.7 reads, or, if [Config.FormatVersion]
// or the environment says so, version 22, which 3.6 reads. They have different kinds of values:
//
//	                                27                                         22
//	Raw, TypeName, Duration, Time,  big decimal, as it may be any text         raw string; TypeName: Java class
//	    Bytes, several results
//	Uint, Raw of a whole number     big integer                                raw string
//	Error, with its text            exception with its message                 raw string: type and message
//	error, without its text         exception                                  object
//	call that threw                 mark "unfinished" and a name               void and a name
//	location of a loop              header of a loop, see CodeLocation.Loop    line
//
// In version 27 a type name is not written as a class, since a class is shown with ".class"
// appended. Bytes are not written as a character sequence, as they need not be characters. An
// exception has no frames: the recorder does not know them. A [Value] does not depend on the
// version.
//
// # What it costs
//
// A Thread appends finished objects to its own buffer, without a lock and without an
// allocation. The times of a call are readings of the processor's counter, if that is reliable.
// They are half the cost of a call without arguments; [Config.NoTimes] saves them. The
// recorder's goroutine writes full buffers while it keeps up. Buffers start at 1 KiB, grow with
// use, and are released when a goroutine ends or is idle. Together with everything else the
// recorder keeps, they stay below [Config.MaxMemory]. A nil Recorder returns nil Threads, whose
// methods return at once. Recording that is off costs two calls and the construction of their
// arguments: 5 to 15 ns for a call without arguments, 17 to 33 for one with three and a result,
// on a busy machine where recording one took 150 to 400. In code that is called very often, "if
// t != nil" saves most of that.
//
// Importing the package makes a program larger: a 2.4 MB hello that records itself grows by 1.5
// MB (linux/amd64, Go 1.26, with symbols), or by 6.3 MB with recorder/shared.
//
// # What can be relied on
//
// The recorder never panics into the program. It starts at most one goroutine of its own,
// besides the three of a connection to a service.
//
// With the strategy [Streaming] nothing is lost that was recorded before the program was
// killed, panicked, or called os.Exit or log.Fatal. It is in a file next to the trace:
// [Finish], and each command that reads the trace, uses that file to complete the trace, and
// marks the calls that were under way. That file must not be truncated while the program runs:
// a store into mapped memory without a file kills the program. If the machine crashes, the
// trace has only what the system had written to disk.
//
// A file that cannot be written ends the recording, not the program: the error goes to
// [Config.OnError], and the files are ended after the last whole block if that is still
// possible.
//
// Values are read when they are recorded. The recorder calls no methods of theirs except those
// that [Error], [Stringer] and [Config.CallMethods] name.
package recorder
