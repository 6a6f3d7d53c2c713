// Package calls defines how Perfetto's packets contain recorded calls: what the data
// source tracex.calls writes into the field tracex_calls (2022) of a TracePacket. A
// recorder encodes a [Part], and a converter of packets decodes it; neither is in
// this package.
//
// # Bytes
//
// A part is a message of protocol buffers. The field numbers below must not change.
// Decoders skip unknown fields.
//
//	 1 recorder    fixed64  a random number that identifies the recording of one
//	                        process. Ids in objects are valid only within it
//	 2 thread      varint   the thread's id plus 1; absent: only references
//	 3 number      varint   of this part within its thread, counting from 0
//	 4 name        bytes    of the thread, UTF-8
//	 5 references  bytes    whole reference objects of the trace's file: descriptors,
//	                        strings, locations
//	 6 skipped     varint   how many open containers are outside of those in open
//	 7 open        bytes    headers of the containers that are open where objects
//	                        begin, outermost first
//	 8 began       varints  when those began: nanoseconds since the machine was
//	                        started, the first; since the one before, the others
//	 9 whole       varint   1: open is complete, even if it is empty
//	10 ended       varint   plus 1: nanoseconds from the last of times, or the packet's
//	                        timestamp, to the end of the thread; no part follows
//	11 times       varints  one for each header of a container and each footer in
//	                        objects: nanoseconds since the one before, the first since
//	                        the packet's timestamp; absent: times were not recorded
//	12 objects     bytes    headers and footers of trace points, whole, in order, as
//	                        in a block of the thread
//	13 format      varint   the version of the trace's format, for references, open and
//	                        objects; absent: 22
//
// References and objects are bytes of the trace file of that version, each object
// with its kind byte. All parts of a recorder have the same version. The packet's
// timestamp is on the boot clock.
//
// # Order
//
// All parts of a thread are in one sequence of packets, in order. References may be
// in another, and later than the first part that uses them. Duplicates are equal.
//
// # Loss
//
// If numbers are missing, or do not begin with 0, objects are missing: they were
// never written, or the service did not keep them. A recorder that knows about the
// loss, or cannot know, lists in the next part all containers that are open where it
// begins (whole). The reader then ends its other open containers, at an unknown
// time, begins those that it did not know, and continues. Containers are matched by
// depth, counting skipped ones: two containers at the same depth are the same if
// their headers have the same event id. About skipped ones the reader keeps what it
// knew before.
//
// If numbers are missing and there is no whole, a reader can only assume that
// footers without a header belong to containers that it never saw.
package calls
