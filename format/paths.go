package format

// Suffixes of a trace's files: the name of its data plus a suffix. On disk, do not change.
const (
	IndexSuffix  = ".idx"  // the index
	TimesSuffix  = ".tim"  // the times
	SumSuffix    = ".sum"  // the summary; see package lazy
	LiveSuffix   = ".live" // what a recorder has not written yet; see package recorder
	PackedSuffix = ".packedtrace"
	// RecordingSuffix is that of the directory for a recording through shared memory until its
	// trace is written.
	RecordingSuffix = ".recording"
	NotesSuffix     = ".notes" // marks, notes and the last session; see package lazy/notes
)
