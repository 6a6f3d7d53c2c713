// Package perfetto makes a trace of what Perfetto recorded: of the packets of a
// .pftrace file, as perfetto -o writes it, a data file with its index and its
// times.
//
// # What becomes of what
//
//	track of a thread            thread of the trace: "process 12 › worker 34", by names and numbers
//	track of a process           thread "process 12"
//	other track                  thread named after the track, behind its parents
//	tracks of one name and       one thread, or "name #2" and so on where they have slices at
//	    one parent               the same time; so have those of one merge key
//	slice                        call: the category is the class, the name the method. Without a
//	                             category the class is not shown, without a name it is "unnamed"
//	slice that did not end       call with the result <unfinished method>
//	instant, trigger             call that lasts no time; triggers have a thread of their own
//	debug annotation             named argument; what is nested in it, or is JSON, arguments such
//	                             as size.width and list[0]; of an event that ends a slice, the
//	                             call's result: "ok ➜ true, n ➜ 3"
//	    pointer                  0x7f00
//	    message of another kind  <its type, 12 bytes>
//	source location              place of the call: file, line, function
//	log message                  arguments "message" and "priority", and the place
//	flow                         argument "flow" or "flow end": 0x3dfa… is the same in all its slices
//	correlation, task, stack     arguments "correlation", "posted from", "stack"
//	counter                      variable "name (unit)" that is set where the thread was that wrote
//	                             the value; a counter that no known thread writes has a thread of
//	                             its own, with a call for each value, which lasts until the next
//	state                        call that lasts until the next state of its track
//	legacy event                 as the event of the track that its phase stands for, with an
//	                             argument "id" if it is asynchronous; flow phases set a variable
//	                             "flow", those of counters "name.argument"
//	clock                        all times are on the clock of the trace; the file of times says
//	                             what the wall clock showed
//	text without quotes          in version 27 of the format a BigInteger if it is a whole number,
//	                             else a BigDecimal, which both print any text; version 22 has a
//	                             kind of value for it
//	recorded call                what it was: recorded objects are taken as they are, see package
//	                             calls. Ids and names of threads stay the same if one recorder is
//	                             all that is in the trace; else the ids of each count on behind
//	                             those before it, and threads are "process 12 › main", those of
//	                             a second recorder in the process "process 12 #2 › main"
//	    of another version       translated, see [format.Translator]; what that guessed and lost is
//	                             in [Result.Changes]
//	compressed packets           the packets in them, by deflate or zstd
//	other packets                left out and counted by kind
//
// Slices nest as Perfetto's own trace_processor nests them: an end belongs to
// the innermost open slice that it fits; what is in a slice ends with it at the
// latest; a whole slice that overlaps another without lying in it is left out.
// Its limit of 512 slices in each other is not kept.
//
// Where recorded calls are missing, what was open before the gap and is not open
// after it gets the footer of an unfinished call, and its container no time; what is
// open after it, and began in it, gets its header there. What cannot be read ends its
// packet: the rest is as if it had been lost. Of a damaged packet of another kind
// all before the damage counts, if the stamps of the service at its end are there.
//
// # How
//
// Packets do not come in order of time: those of one writer follow each other, but a
// file holds what one writer wrote in some seconds, or in all, and then what the next
// one wrote. So a conversion has two halves.
//
// While packets are read, [Converter] passes each to the part that knows its kind:
// clocks, sequences, tracks, eventReader for TrackEvents (legacy*.go has the older
// kind), recorded for the calls of recorders. What happened becomes a record, of
// numbers of names and arguments that are encoded already, and the sink adds it to the
// stream of its line, see package spool.
//
// When all is read, tracks are fully described, and writer writes one line after the
// other: it reads the streams in order of time, merged where several writers shared a
// track, keeps the stack of open slices, and makes blocks, index cells and times.
//
// # What it takes
//
// Memory does not grow with the trace. Records are kept up to [Options.Memory],
// and in a temporary file beyond; what else is remembered, of interned texts,
// names, tracks, clocks, has limits, each with a word in [Result.Left] when it is
// met. Nothing that the input says is trusted: no size is allocated that was not
// read, and what is damaged is left out and counted, by the packet.
package perfetto
