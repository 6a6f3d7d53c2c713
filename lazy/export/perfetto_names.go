package export

import "google.golang.org/protobuf/encoding/protowire"

// Kinds of interned texts, in the lowest bits of their ids.
const (
	ofMethod = iota
	ofLoop
	ofIteration
	ofVariable
	ofField
	ofFixed // see fixedNames, and arguments by number
	ofPath
	ofClass
)

// Fixed names, by id.
const (
	fixedResult = iota
	fixedReceiver
	fixedException
	fixedValue
	fixedIndex
	fixedElement // an event
	fixedThrow
	fixedCatch
	fixedSnapshot
	fixedLoops // a category
	fixedUnfinished
	fixedNames
)

var fixedTexts = [fixedNames]string{"result", "receiver", "exception", "value", "index", "array element", "throw", "catch", "live breakpoint", "loop", "unfinished"}

func iid(kind int, id int32) uint64 { return (uint64(uint32(id))+1)<<3 | uint64(kind) }

// interned tells which ids of each table are in the file.
type interned struct {
	events, annotations, categories, locations map[uint64]bool
}

func newInterned() interned {
	return interned{map[uint64]bool{}, map[uint64]bool{}, map[uint64]bool{}, map[uint64]bool{}}
}

func (t *interned) table(field protowire.Number) map[uint64]bool {
	switch field {
	case internedEvents:
		return t.events
	case internedAnnotations:
		return t.annotations
	case internedCategories:
		return t.categories
	}
	return t.locations
}

// internedText is a text that an encoder used first.
type internedText struct {
	table          protowire.Number
	iid            uint64
	text, function string
	line           int
}
