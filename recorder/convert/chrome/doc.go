// Package chrome converts traces in Chrome's JSON format (the Trace Event Format), which many tools
// write: VizTracer, PyTorch, Clang's -ftime-trace, Bazel, Node.js, rustc, and Chrome itself.
//
// # Forms
//
// The events are objects in an array, whose closing bracket may be missing; in the array traceEvents
// of an object, among other keys in any order; or one after the other, each on its line. Commas
// between them may be missing or too many. Strings may contain raw control characters. What is
// damaged ends the conversion with a [format.Error]: the events before it are kept.
//
// # How events are converted
//
//	thread of a process      track "thread"; with several processes "process › thread". The
//	                         numbers are shown of what has no name, or one that others have, too
//	complete event (X)       call: the category is the class, the name the method
//	begin, end (B, E)        call; the arguments of the end are its result. The end is that of the last
//	                         call with its name, and its category if both have one; without a name,
//	                         of the last call. Of calls that overlap, the second is on a track "name #2"
//	instant (i, I)           call without a duration, on the track of its thread, process, or "global"
//	asynchronous (b, e, n)   calls of a track for each category and id; the older ones (S, T, p, F)
//	                         also for each name. An end or instant is of the operation that is open in its
//	                         process, or else of one that another began, unless its id is local (id2). A global
//	                         id (id2) means the same in all processes, and so does an equal "id" while it is open.
//	                         An id that is used again long after its end has
//	                         another track with its name
//	counter (C)              variable "name.argument", set on the track of its process
//	flow (s, t, f)           variable "flow", set on the track of its thread: "name id"
//	metadata (M)             names of processes and threads, which may be numbers
//	argument                 argument; objects and lists stay what they are
//	other key of an event    argument, such as "out" of Bazel; bind_id is the argument "flow"
//	other phase              counted and left out
//	null                     as if the key were not there; 1.0 is the same process, thread or id as 1
//	around the events        samples, stack frames, system events and measurements of power are counted
//
// Some tools have more in a name, or in arguments, than the format says:
//
//	"fib (/path/x.py:3)"            VizTracer: method fib, place x.py:3; Dao.query is class and method.
//	                                Its category fee is not shown
//	func_args, return_value         VizTracer: arguments and result, as Python shows them
//	"torch/nn/x.py(12): forward"    PyTorch: class torch.nn.x, method forward, and the place
//	fileName and lineNumber,        the place of the call. Also: file and line, src_file and src_line,
//	    and so on                   filename and lineno, url and lineNumber; or in an object "source"
//
// # Times
//
// ts and dur are microseconds with decimals, numbers or texts. They are read as decimals: nothing is
// lost of a ns in a time since 1970. If the first event is more than 73 years from 0, times count from it;
// events more than 73 years from there are counted and left out. The trace begins with its first event. Its wall time is known
// from baseTimeNanoseconds (PyTorch), beginningOfTime (Clang), or profile_start_ts (Bazel); otherwise
// times count from 1970.
//
// # Design
//
// One goroutine reads the input in windows, finds the events and their parts, and passes them on in
// batches (document, scanner); another makes values of the arguments and adds the calls to the tracks
// of package calltrace, which sort them.
//
// # Limits
//
// Memory does not grow with the input. An event may have 32 MiB; larger ones are skipped. An input may
// have 131,072 tracks at once: of asynchronous operations that have ended, the last 65,536 count. Values are
// cut as package calltrace says.
package chrome
