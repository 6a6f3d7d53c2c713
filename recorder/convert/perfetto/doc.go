// Package perfetto converts Perfetto traces: from the packets of a .pftrace file, as
// written by perfetto -o, it makes a data file with its index and times.
//
// # How events are converted
//
//	track of a thread            thread of the trace: "process 12 › worker 34", by names and numbers
//	track of a process           thread "process 12"
//	other track                  thread named after its parents and the track
//	tracks of one name and       one thread, or also "name #2" and so on if they have slices at
//	    one parent               the same time; the same for tracks with one merge key
//	slice                        call: the category is the class, the name the method. Without a
//	                             category the class is not shown, without a name it is "unnamed"
//	slice that did not end       call with the result <unfinished method>
//	instant, trigger             call without a duration; triggers have their own thread
//	debug annotation             named argument; nested values, and those in JSON, are arguments
//	                             such as size.width and list[0]; those of an event that ends a
//	                             slice are the call's result: "ok ➜ true, n ➜ 3"
//	    pointer                  0x7f00
//	    message of another kind  <its type, 12 bytes>
//	source location              location of the call: file, line, function
//	log message                  arguments "message" and "priority", and the location
//	flow                         argument "flow" or "flow end": 0x3dfa… is the same in all its slices
//	correlation, task, stack     arguments "correlation", "posted from", "stack"
//	counter                      variable "name (unit)", set in the thread that wrote the value; a
//	                             counter that no known thread writes has its own thread, with a
//	                             call for each value, which lasts until the next
//	state                        call that lasts until the next state of its track
//	legacy event                 as the track event that corresponds to its phase, with an argument
//	                             "id" if it is asynchronous; flow phases set a variable "flow",
//	                             those of counters "name.argument"
//	clock                        all times are on the clock of the trace; the file of times has
//	                             the wall time
//	text without quotes          in version 27 of the format a BigInteger if it is a whole number,
//	                             else a BigDecimal: both can print any text; version 22
//	                             has a kind of value for it
//	recorded call                the same call: recorded objects are copied, see package calls. If
//	                             the trace is only that of one recorder, ids and names of threads
//	                             stay the same; otherwise the ids of each recorder follow those of the
//	                             one before, and threads are "process 12 › main", those of a
//	                             second recorder in the process "process 12 #2 › main"
//	    of another version       translated, see [format.Translator]; [Result.Changes] counts what was
//	                             guessed and lost
//	compressed packets           the packets in them, by deflate or zstd
//	other packets                left out and counted by kind
//
// Slices nest as in Perfetto's own trace_processor: an end belongs to the innermost
// open slice that it matches; slices inside another end with it at the latest; a
// complete slice that overlaps another without being inside it is left out. The
// limit of 512 nested slices does not apply.
//
// Where recorded calls are missing, containers that were open before the gap but not
// after it get the footer of an unfinished call, without a time; containers that
// began in the gap and are still open after it get their headers there. An
// unreadable part ends its packet: the rest counts as lost. If a packet of another
// kind is damaged, everything before the damage is used, provided that the service's
// stamps at its end are intact.
//
// # Design
//
// Packets are not in order of time: those of one writer follow each other, but a
// file holds what one writer wrote in some seconds, or in all, and then what the
// next one wrote. So a conversion has two phases.
//
// While packets are read, [Converter] passes each to the part for its kind: clocks,
// sequences, tracks, eventReader for TrackEvents (legacy.go for the older kind),
// recorded for the calls of recorders. Each event becomes a record, with numbers for
// names and with encoded arguments, and the sink adds it to the stream of its timeline,
// see package spool.
//
// After all packets have been read, tracks are fully described, and writer writes
// one timeline after the other: it reads the streams in order of time, merges them if
// several writers shared a track, keeps the stack of open slices, and makes blocks,
// index cells and times.
//
// Recorded calls need neither: the parts of a thread arrive in order. [Live] writes
// those of the first recorder while they arrive, in the version in which they were
// recorded and with the recorder's ids, so that nothing later can change what is
// written. What a call refers to must be in the trace before it, but may arrive after
// it. So the caller flushes the programs and then names the packets that had arrived
// when the flush began: their references have arrived too ([Live.Advance]). Each
// Advance ends the blocks of the threads that had calls; the calls that are open
// there continue in the thread's next block. Then it notes how far the trace is: the
// sizes of the files, and for each thread its next part and its open calls. With
// that, [ResumeLive] continues the trace of a process that was killed.
//
// All other packets go to a file, and [Live.End] converts them in two phases as
// above. Their threads, events and descriptors have ids after those of the live part.
//
// Packets can also be added to a trace that another conversion writes, see [Joiner]. Both
// write while programs are recorded, in turns, and each takes the next numbers for threads,
// events and descriptions. An id of a recorder gets its number in the trace when it is first
// met, in a call or in its description. The clock of the trace is the machine's monotonic
// clock, as in the rest of it. All packets stay in their file: if the process is killed, the
// trace is made again, so no progress is noted.
//
// In turn, another conversion can add to the trace of a Live, but only before its end, see
// [LiveOptions]. The packets in that trace are kept nowhere else: if the process is killed,
// the trace must be continued, which only a Live can do.
//
// # Limits
//
// Memory does not grow with the trace. Records are kept in memory up to
// [Options.Memory], and in a temporary file beyond. Everything else that is
// remembered, such as interned texts, names, tracks and clocks, has a limit, and
// [Result.LeftOut] reports each limit that was reached. The input is not trusted:
// memory is allocated only for bytes that were read, and damage is left out and
// counted by packet.
package perfetto
