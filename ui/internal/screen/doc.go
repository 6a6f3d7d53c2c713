// Package screen draws lines of an exact width ([Line]) in styles and signs, divides the window
// ([Layout]), and knows how keys, errors and the nodes of a trace are written. It keeps no state but what a [Backdrop] has drawn.
package screen
