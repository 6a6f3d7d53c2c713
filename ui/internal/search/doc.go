// Package search is the search of a person through a trace: what it has found, which
// hit to go to next, and the list of its hits with a filter.
//
// A [Part] returns what is to be done as an [Outcome]. Its work in the background
// sends messages of the type [Msg], which the explorer hands back to Update; those of
// an older search are dropped.
//
//	Preview ──► Begin ──► running ──► ended, or stopped at a limit or by a person
//	 (typed)                │ Next: the hit that is wanted is gone to once it is known
//	                        └ OpenList: hits come in, and are filtered, while it is shown
package search
