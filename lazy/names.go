package lazy

// The names of packages trace and walk that callers use.

import (
	"tracex/lazy/internal/trace"
	"tracex/lazy/internal/walk"
)

type (
	DiffInfo   = trace.DiffInfo
	Growth     = trace.Growth
	Identity   = trace.Identity
	Move       = trace.Move
	Moves      = trace.Moves
	Options    = trace.Options
	Phase      = trace.Phase
	Population = trace.Population
	Progress   = trace.Progress
	Status     = trace.Status
	ThreadInfo = trace.ThreadInfo
	Time       = trace.Time
	WhyUnended = trace.WhyUnended

	Arounder       = walk.Arounder
	Beyonder       = walk.Beyonder
	Collector      = walk.Collector
	Edit           = walk.Edit
	EditLeaves     = walk.EditLeaves
	EditState      = walk.EditState
	Edits          = walk.Edits
	Ender          = walk.Ender
	Found          = walk.Found
	Hit            = walk.Hit
	IndentError    = walk.IndentError
	Limits         = walk.Limits
	Moment         = walk.Moment
	Named          = walk.Named
	NoEventError   = walk.NoEventError
	OpenState      = walk.OpenState
	OpenThread     = walk.OpenThread
	Pass           = walk.Pass
	PassFrame      = walk.PassFrame
	PassPoint      = walk.PassPoint
	PassRange      = walk.PassRange
	Position       = walk.Position
	PrintOptions   = walk.PrintOptions
	PrintRange     = walk.PrintRange
	Recalled       = walk.Recalled
	Search         = walk.Search
	Prefiltered    = walk.Prefiltered
	State          = walk.State
	Summary        = walk.Summary
	SummaryFile    = walk.SummaryFile
	SummaryOptions = walk.SummaryOptions
	Surveyor       = walk.Surveyor
	Taker          = walk.Taker
	TallyPass      = walk.TallyPass
	ThreadCount    = walk.ThreadCount
	ThreadCounts   = walk.ThreadCounts
	TranslateFiles = walk.TranslateFiles
	Translation    = walk.Translation
	Visitor        = walk.Visitor
	Want           = walk.Want
)

const (
	FileProperty = trace.FileProperty

	PhaseOpening    = trace.PhaseOpening
	PhaseUnpacking  = trace.PhaseUnpacking
	PhaseIndexing   = trace.PhaseIndexing
	PhaseRebuilding = trace.PhaseRebuilding
	PhaseFollowing  = trace.PhaseFollowing
	PhaseReady      = trace.PhaseReady
	PhaseFailed     = trace.PhaseFailed
	IndexRecorded   = trace.IndexRecorded
	IndexRebuilt    = trace.IndexRebuilt
	IndexStored     = trace.IndexStored

	EditNone        = walk.EditNone
	EditMerge       = walk.EditMerge
	EditDrop        = walk.EditDrop
	MostIndent      = walk.MostIndent
	JSONVersion     = walk.JSONVersion
	PathSep         = walk.PathSep
	PathGap         = walk.PathGap
	SummaryLeast    = walk.SummaryLeast
	SummaryUnit     = walk.SummaryUnit
	OpenIn          = walk.OpenIn
	OpenNothing     = walk.OpenNothing
	OpenLater       = walk.OpenLater
	OpenEnded       = walk.OpenEnded
	OpenUnknown     = walk.OpenUnknown
	StateWhole      = walk.StateWhole
	StateUnfinished = walk.StateUnfinished
	StatePending    = walk.StatePending
	LeavesAll       = walk.LeavesAll
	LeavesNone      = walk.LeavesNone
	LeavesAsked     = walk.LeavesAsked
)

var (
	ErrNotRegular = trace.ErrNotRegular
	ErrPacked     = trace.ErrPacked
	ErrRecording  = trace.ErrRecording
	ErrUnfinished = trace.ErrUnfinished

	ErrEnough    = walk.ErrEnough
	ErrNoSummary = walk.ErrNoSummary
	ErrNoTimes   = walk.ErrNoTimes
	ErrSummary   = walk.ErrSummary
)
