// Package recorder records what a Go program does, call by call, into a trace
// that the explorer shows and that Lincheck's own reader loads.
//
// A program starts one [Recorder] and gives each goroutine that is to be seen a
// [Thread]. A function is recorded by one line,
//
//	defer t.Call(method, place, recorder.Null(), recorder.Int(n)).End(&result)
//
// which sees its results and a panic that goes through it. Within a call there are
// reads and writes of fields, variables and elements, loops, exceptions. Types,
// methods, fields, variables and places in the source are registered once, and
// are numbers from then on. What a program tells that cannot be so is recorded as
// what it is, and counted in [Saved.Misuse].
//
// # Where it goes
//
// Into a file, its index and its times, while the program runs or at its end; or, through
// memory that is shared with a tracing service of Perfetto's protocol, into packets
// that outlive the program: see [Strategy]. For the latter a program needs one import,
//
//	import _ "tracex/recorder/shared"
//
// and no other change: it is what happens if the environment names a service's socket,
// in PERFETTO_PRODUCER_SOCK_NAME, and [Config.Strategy] does not say otherwise. Where
// that service does not answer, or the import is missing, recording goes to the file.
//
// Requests to a server of net/http are recorded by package recorder/httptrace, log lines
// of log/slog by recorder/slogtrace.
//
// # Versions of the format
//
// A trace is of version 27 of the format, which Lincheck 3.7 reads, or, if
// [Config.FormatVersion] or the environment says so, of version 22, which 3.6 reads. They
// differ in what they have kinds of values for:
//
//	                                27                                  22
//	Raw, TypeName, Duration, Time,  big decimal, as it may be any text  raw string; TypeName: Java class
//	    Bytes, several results
//	Uint, Raw of a whole number     big integer                         raw string
//	Error, with its text            exception with its message          raw string: type and message
//	error, without its text         exception                           object
//	call that threw                 mark "unfinished" and a name        void and a name
//	place of a loop                 header of a loop, see Place.Loop    line
//
// Names of types are no classes in 27, since a class is shown with ".class" behind it.
// Bytes are no character sequence, as they need not be characters. An exception has no
// frames: the recorder does not know them. A [Value] belongs to no version.
//
// # What it costs
//
// A Thread appends finished objects of the file to a buffer of its own, without
// a lock and without an allocation. When a call began and ended is a reading of
// the processor's counter, where that can be relied on: half of what a call without
// arguments costs, which [Config.NoTimes] saves. Full buffers are left to the
// recorder's goroutine while that keeps up. Buffers start with a KiB, grow with
// use, and go back when a goroutine ends or is idle; they and all else that is kept
// stay below [Config.MaxMemory]. A nil Recorder gives nil Threads, whose methods
// return at once. Recording that is off costs two calls and the making of their
// arguments: 5 to 15 ns for a call without arguments, 17 to 33 for one with three and a
// result, on a busy machine where recording one took 150 to 400. Around what is called
// very often, if t != nil saves most of that.
//
// A program that imports the package gets larger: a hello of 2.4 MB that records
// itself by 1.5 MB (linux/amd64, Go 1.26, with symbols); 6.3 MB with recorder/shared.
//
// # What can be relied on
//
// The recorder never panics into the program, and starts at most one goroutine
// of its own, besides the three of a connection to a service. Nothing is lost of
// what was recorded with the strategy [Streaming] before the program was killed,
// panicked, or left by os.Exit or log.Fatal: [Finish], and each command that reads
// the trace, finds it in a file beside the trace and makes the trace whole, with the
// calls that were under way marked. That file must not be made shorter while the
// program runs: a store into memory that has no file behind it ends the program. A
// crash of the machine is another matter: the trace has what the system had written
// to the disk by then. A file that cannot be written ends the recording, not the program: the
// error goes to [Config.OnError], and the files are ended behind the last whole
// block if that is still possible. Values are read when they are recorded; no
// method of theirs is called but those that [Error], [Stringer] and
// [Config.CallMethods] say.
package recorder
