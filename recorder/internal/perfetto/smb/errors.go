package smb

import "errors"

// Errors that a caller may want to tell apart. Those of the package wrap them
// and say which page and chunk.
var (
	// ErrGeometry says that memory, page size or layout cannot be one of a buffer.
	ErrGeometry = errors.New("smb: not memory of a buffer")

	// ErrNoChunk says that there is no such page, or no such chunk in it.
	ErrNoChunk = errors.New("smb: no such chunk")
	// ErrState says that a chunk is not in the state that what was asked for needs.
	ErrState = errors.New("smb: wrong state of chunk")
	// ErrBusy says that a page word changed at each of many attempts.
	ErrBusy = errors.New("smb: page changes all the time")
	// ErrFault says that memory could not be read: its file is shorter than it was.
	ErrFault = errors.New("smb: memory is gone")

	// ErrCorrupt says that what is in a chunk makes no sense.
	ErrCorrupt = errors.New("smb: corrupt chunk")
	// ErrAborted says that the writer gave up the last packet of a chunk: it had no
	// memory for the rest. What was lost is that packet and maybe some after it.
	ErrAborted = errors.New("smb: packet given up by its writer")

	// ErrNoWriterID says that all ids of writers are in use.
	ErrNoWriterID = errors.New("smb: no id for one more writer")
	// ErrClosed says that an Arbiter was closed.
	ErrClosed = errors.New("smb: closed")
)
