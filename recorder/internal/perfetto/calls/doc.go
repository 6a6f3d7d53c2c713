// Package calls says what recorded calls are inside of Perfetto's packets: what the
// data source tracex.calls writes into the field tracex_calls (2022) of a
// TracePacket. A recorder encodes a [Part], and who makes a trace of packets decodes
// it; neither is in this package.
//
// # Bytes
//
// A part is a message of protocol buffers. Fields have these numbers, do not
// change; one that is not known is to be passed over.
//
//	 1 recorder    fixed64  a random number: which recording of which process this
//	                        is of. All ids in the objects are its own
//	 2 thread      varint   the thread's id plus 1; absent: there are references alone
//	 3 number      varint   of this part among the thread's, from 0, one more each
//	 4 name        bytes    of the thread, UTF-8
//	 5 references  bytes    whole reference objects of the trace's file: descriptors,
//	                        strings, places
//	 6 skipped     varint   how many open containers are outside of those in open
//	 7 open        bytes    headers of the containers that are open where objects
//	                        begin, outermost first
//	 8 began       varints  when those began: nanoseconds since the machine was
//	                        started, the first; since the one before, the others
//	 9 whole       varint   1: open is given, though it may be empty
//	10 ended       varint   plus 1: the thread has ended, so many nanoseconds after the
//	                        last of times, or the packet's timestamp; no part follows
//	11 times       varints  one for each header of a container and each footer in
//	                        objects: nanoseconds since the one before, the first since
//	                        the packet's timestamp; absent: times were not recorded
//	12 objects     bytes    headers and footers of trace points, whole, in order, as
//	                        they stand in a block of the thread
//	13 format      varint   the version of the trace's format that references, open and
//	                        objects are of; absent: 22
//
// References and objects are bytes of the file of a trace of that version, each object
// with its kind byte. All parts of a recorder are of one. The packet's timestamp is on the clock of boot time.
//
// # Order
//
// All parts of a thread are in one sequence of packets, in order. References may be
// in another, and later than the first part that uses them. One that stands twice is
// equal.
//
// # Loss
//
// Where numbers are missing, or begin with another than 0, objects are missing: they
// were never written, or the service did not keep them. A recorder that knows of it,
// or cannot know, gives in the next part what is open where it begins (whole): the
// reader ends what it has open besides, at a time that nobody knows, begins what it
// did not know, and goes on. Levels are told by their depth, skipped ones counted,
// and two containers at the same depth are the same if their headers have the same
// event id. Of skipped ones the reader knows what it knew before.
//
// A reader that finds numbers missing, and no whole, can do no more than take
// footers that have no header for those of containers it never saw.
package calls
