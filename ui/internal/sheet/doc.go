// Package sheet shows a table in place of the tree: any number of rows, of which it asks for those
// on the screen only; with a filter over all rows, orders, groups and keys of its owner.
//
//	Source   what is shown: gives the table as it is now; may sort, group, load rows, stop
//	Sheet    a table on the screen, a list in front of the tree
//	Part     the sheets that are open, one over the other, and their work
//
// A source gives another table whenever something has changed, so what is on the screen is never
// half of one answer and half of the next. Work runs in the background, one at a time for a sheet.
package sheet
