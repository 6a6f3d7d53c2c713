// Package parquetfile writes Parquet files, column by column: what fills a column appends to slices of its
// type, so that columns can be filled and encoded by several goroutines. The encodings, and the metadata
// at the end of a file, are those of the library parquet-go; its writers take rows or single values, which takes
// several times as long.
//
//	Node     a part of a schema: a value, a struct, a list of structs or a map
//	Schema   all nodes of a file, and its leaves in their order
//	Column   the values of one leaf in one row group, page by page
//	Writer   the file: row groups, then the footer
//
// # File
//
//	"PAR1" · row group · row group … · footer · length of the footer (4 bytes, little endian) · "PAR1"
//
//	row group     a chunk for each leaf
//	chunk         dictionary page, if there is a dictionary · data page · data page …
//	page          header (thrift, compact) · body, compressed by zstd
//	data page     repetition levels · definition levels (each: length, 4 bytes; runs) · values that are not null
//
// Pages are of version 1, which all readers know. How values are encoded, by their leaf:
//
//	numbers           DELTA_BINARY_PACKED, or if they repeat RLE_DICTIONARY, then PLAIN
//	names             RLE_DICTIONARY
//	texts             RLE_DICTIONARY, then DELTA_LENGTH_BYTE_ARRAY
//	truth values      PLAIN
//
// "Then": a dictionary ends where it no longer pays; the pages before keep it.
//
// The format is specified by Apache Parquet: parquet.thrift, Encodings.md and LogicalTypes.md.
package parquetfile
