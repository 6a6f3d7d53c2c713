// Package search searches a trace for the user: the hits found, which hit to go to
// next, and the list of hits with a filter.
//
// A [Part] returns what to do as an [Outcome]. Its work in the background sends messages of the
// type [Msg], which the explorer hands to Update; it drops those of an older search.
//
//	Preview ──► Begin ──► running ──► ended, or stopped at a limit or by the user
//	 (typed)                │ Next: goes to the wanted hit once it is known
//	                        └ OpenList: hits arrive, and are filtered, while it is shown
package search
