// Package times reads the file of times that lies beside a trace: when each call
// was, and how long it took. See [format.TimeCell] for its bytes.
//
// Such a file has a cell for each cell of the index that the recorder wrote, in
// the order of that index, so that the place of a container's cell there leads to
// its time. It is not always the index that is used. Each cell is checked when it
// is used; one that belongs to something else makes the whole file useless.
package times
