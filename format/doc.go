// Package format knows every byte of the Lincheck trace format, in the versions
// that its releases write: data files, index files and packed traces, both ways,
// and the text of a trace point. It imports the standard library alone, opens no
// file and draws no screen.
//
// The version of a file is in its header, and is a value here: see [Version],
// whose methods read and write what differs. In memory there is one model of a
// trace point, a [Point] and a [Footer], rich enough for all versions. Where a
// comment gives the bytes of an object, it says what a version has otherwise.
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
// physical. A header, a leaf, a footer, a reference object: each lies whole in
// one block. A container (call, loop, iteration) is a header, the objects of
// its children, and a footer, which may lie in different blocks.
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
// [Cell] says what start and end mean for each. Streaming writers put a block's
// cell before the cells of its objects, dump writers after them; the cells of
// objects stand in the order in which the objects were completed, containers
// therefore in post-order.
//
// # Packed trace
//
// A ZIP with the entries info.txt, trace.trace (data) and trace.idx (index),
// see [Pack] and [OpenPacked]. Times, if there are any, stand before them in an
// entry that the directory does not list.
//
// Nothing here trusts its input: each length is compared with what remains
// before memory is set aside for it, nesting of values is bounded, and a fault
// is an [*Error] that says where it stands and what was expected.
package format
