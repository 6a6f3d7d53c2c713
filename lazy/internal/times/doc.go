// Package times reads the file of times beside a trace: when each call
// began, and how long it took. See [format.TimeCell] for its bytes.
//
// Such a file has a cell for each cell of the index that the recorder wrote, in
// the order of that index: the position of a container's cell in that index leads to
// its time. The index in use may be a different one. Each cell is checked when it
// is used; one that belongs to another object makes the whole file useless.
package times
