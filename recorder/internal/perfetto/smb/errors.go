package smb

import "errors"

// Errors that a caller may want to distinguish. The package's errors wrap them and
// name the page and chunk.
var (
	// ErrGeometry means that a buffer cannot have this memory, page size or layout.
	ErrGeometry = errors.New("smb: not a valid shared memory buffer")

	// ErrNoChunk means that there is no such page, or no such chunk in it.
	ErrNoChunk = errors.New("smb: no such chunk")
	// ErrState means that a chunk is not in the state that the operation needs.
	ErrState = errors.New("smb: chunk in the wrong state")
	// ErrBusy means that a page word changed during each of many attempts.
	ErrBusy = errors.New("smb: the page keeps changing")
	// ErrFault means that the memory could not be read: its file has become shorter.
	ErrFault = errors.New("smb: the memory is gone")

	// ErrCorrupt means that the contents of a chunk make no sense.
	ErrCorrupt = errors.New("smb: corrupt chunk")
	// ErrAborted means that the writer gave up the last packet of a chunk: it had no
	// memory for the rest. That packet is lost, and maybe some after it.
	ErrAborted = errors.New("smb: packet given up by its writer")

	// ErrNoWriterID means that all writer ids are in use.
	ErrNoWriterID = errors.New("smb: no writer id is free")
	// ErrClosed means that an Arbiter was closed.
	ErrClosed = errors.New("smb: closed")
)
