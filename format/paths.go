package format

// The files of a trace have the name of its data with a suffix. On disk, do not change.
const (
	IndexSuffix  = ".idx"  // the index
	TimesSuffix  = ".tim"  // the times
	LiveSuffix   = ".live" // what a recorder has not yet written; see package recorder
	PackedSuffix = ".packedtrace"
	// RecordingSuffix is that of the directory in which a recording through shared
	// memory is kept until its trace is made.
	RecordingSuffix = ".recording"
)
