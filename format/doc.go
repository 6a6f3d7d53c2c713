// Package format knows every byte of the Lincheck trace format, in the versions
// that its releases write: data files, index files and packed traces, both ways,
// and the text of a trace point. It imports only the standard library, opens no
// file and draws no screen.
//
// The header of a file has its version, which is a [Version] here. The methods of
// Version read and write the parts that differ. In memory there is one model of a
// trace point, a [Point] and a [Footer], rich enough for all versions. Comments that
// give the bytes of an object mention where versions differ.
//
// All integers are big endian. A utf is a 16-bit length in bytes followed by
// modified UTF-8 (see AppendUTF). Ids are 32-bit and signed.
//
// # Data file
//
//	offset  0        8        16                                   size-1
//	        +--------+--------+---------+---------+-- ... --+------+-----+
//	        | magic  | version| block   | block   |         | block| EOF |
//	        +--------+--------+---------+---------+-- ... --+------+-----+
//
//	block   +-------------+----------+--------+--------+-- ... --+-----------+
//	        | BLOCK_START | thread   | object | object |         | BLOCK_END |
//	        | 1 byte      | 4 bytes  |        |        |         | 1 byte    |
//	        +-------------+----------+--------+--------+-- ... --+-----------+
//	                                 ^ content: what logical offsets count
//
// Each object begins with its [Kind]. A block holds objects of one thread. The
// contents of a thread's blocks, joined in file order, are the thread's stream;
// an offset into that stream is called logical, an offset into the file
// physical. Each header, leaf, footer and reference object is contained in one
// block. A container (call, loop, iteration) is a header, the objects of its
// children, and a footer, which may be in different blocks.
//
// # Index file
//
//	offset  0        8        16       37                          end-29   end-8
//	        +--------+--------+--------+--------+-- ... --+--------+--------+-------+
//	        | magic  | version| cell   | cell   |         | cell   |EOF cell| magic |
//	        +--------+--------+--------+--------+-- ... --+--------+--------+-------+
//
//	cell    +------+---------+-----------+-----------+
//	        | kind | id      | start     | end       |   21 bytes
//	        | 1    | 4       | 8         | 8         |
//	        +------+---------+-----------+-----------+
//
// There is a cell for each block, each reference object and each container.
// [Cell] tells what start and end mean for each. Streaming writers put a block's
// cell before the cells of its objects, dump writers after them. The cells of
// objects are in the order in which the objects were completed, so containers are
// in post-order.
//
// # Packed trace
//
// A ZIP with the entries info.txt, trace.trace (data) and trace.idx (index),
// see [Pack] and [OpenPacked]. Times, if there are any, are before them in an
// entry that the directory does not list.
//
// Nothing here trusts its input: each length is compared with the bytes that remain
// before memory is allocated for it, nesting of values is bounded, and a fault
// is an [*Error] that tells where it is and what was expected.
//
// The offsets of all fields, in bytes, are in layout.go and nowhere else.
//
// # Glossary
//
// What each word means in this project, in all packages. A trace:
//
//	trace             data file with its index and times; or a packed trace, all in one ZIP
//	object            what has a Kind byte in a data file: trace points, footers, reference objects
//	trace point       what is recorded at one moment: a leaf, or the header of a container
//	class             which of the twelve trace points it is (Class); of an object: its Java class
//	event             a trace point as a person names it, by its number, the event id
//	container         call, loop or iteration: a header, its children, a footer
//	call              a container of class call: one execution of a method
//	leaf              a trace point without children: a variable, a field, an element, an exception
//	header, footer    the objects that begin and end a container
//	children, parent  what is directly within a container, or on a thread outside of all
//	root              a child of a thread: it has no parent
//	open              of a container: it has begun and not ended
//	descriptor        a reference object that says what an id means: class, method, field, variable
//	reference object  a descriptor, string, thread name, access path or code location
//	location          a place in source code: file, line, and what is there (CodeLocation)
//	value             what a variable held, an argument was, or a call returned (Value)
//	captured          of the fields and elements of an object: recorded with it
//	thread            a thread of the recorded program, or what is shown as one: a goroutine, a track
//	block             consecutive objects of one thread in a data file, written at once
//	content           the objects of a block; also those of a container, between header and footer
//	stream            the contents of all blocks of one thread, joined
//	physical offset   a position in a file; logical offset: one in a stream
//	index cell        21 bytes of an index: one for each block, reference object and container
//	time cell         the time of an index cell, in the file of times
//	streaming, dump   the two ways to write: as it is recorded, or all at the end
//	complete          of a file: it has its end
//
// A trace that is shown:
//
//	node              a trace point in a tree, or several that are shown as one
//	slab              neighboring children of a node that are in memory together
//	gap               neighboring children of a node that are not in memory
//	position          a thread, and a logical offset in its stream (lazy.Position)
//	row               a node, or a gap, as one line of a screen
//	line              what is drawn of a row (lazy.Line); text with styles (screen.Line); of
//	                  print: one line of its output
//	cursor            the selected row of a screen
//	expand, collapse  show and hide the children of a node
//	fold, raw         leave out what compilers add, and show it
//	forget            remove nodes from memory, until they are loaded again; the screen calls it unload
//	follow            show a trace while it grows
//	scan              one pass over all objects of a data file, where no index is
//	tally             numbers that one pass adds up: calls and events of a thread, children of a node
//	checkpoint        where a scan, or a walk over children, may begin: an offset, and what is open there
//	pass              a walk over the points of whole threads that keeps no nodes: visitors see the
//	                  points, a collector merges what they found in the order of the trace
//	share             what one goroutine visits of a pass: several short threads, or a part of a long one
//	step              what edits the tree before it is shown or counted: focus, merge, drop, only
//	unit              of a summary: a MiB of a thread, or several short threads
//	unfinished        of a container: the data ends within it
//	pending           of a container: where it ends has not been found yet
//	unended           of a file: it has no end, as it is still recorded or its program was killed
//
// A trace that is recorded or converted:
//
//	recording         a trace that is being written, with the memory of its program beside it
//	chunk             memory that one writer fills and then hands over
//	mark              where a header or a footer is in a chunk, and when it was recorded
//	part              the objects that a thread published since the last part; of the explorer, a
//	                  component with a state of its own, such as the tree or the search
//	sink              where parts go: files, or a tracing service
//	packet, sequence, slice, track, page, session, data source, producer, consumer, patch, scrape
//	                  as in Perfetto's protocol; "page" is one of shared memory
//	region            consecutive bytes of a live file that have one user
//	record            what a spool keeps of one event, until its track is written
//	timeline          one track, or several that are joined: it becomes a thread, or several if slices overlap
//	batch, extent     the records of a stream of a spool that are in memory, and on disk, together
//
// Words with several meanings elsewhere, and the ones that they have here:
//
//	counter           one of Perfetto's, or the processor's
//	source            a data source, source code, or a clock's; a file that is read is the input
//	entry             an element of a ZIP, a directory, a dictionary or a table
//	draft             index cells of a part, made before their position is known
package format
