// Package export writes a trace, or what was selected of it, in the formats of other tools.
//
// A [Job] says what is exported: a [query.Scope], with its steps and its filter, so that an export has what
// the answers and the explorer show. [Job.Run] passes over the trace: several goroutines encode different
// parts of it at once, and what they made is written in the order of the trace. Memory is bounded by the
// parts that wait, and by the calls that are open.
//
//	Job         what is exported, and what all formats share: names, values, times
//	view        shows a visitor only what belongs to the job
//	Clock       when what is visited began and ended, on an axis without gaps
//	stream      a format that is bytes for each point, in order: Perfetto, Chrome, JSON lines …
//	Formats     the formats by name
//
// # Times
//
// All times are nanoseconds since the begin of the recording. If the time of a call is not known it begins
// at the moment last known before, and ends with what is around it, or with its thread; [Span.Known] tells.
// A trace without times has an axis of events: see [Job.Timed].
package export
