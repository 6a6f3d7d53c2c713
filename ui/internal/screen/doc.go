// Package screen draws lines of an exact width ([Line]) in styles and signs, and knows how keys
// and errors are written. The text in their cells is that of package display.
//
// It knows nothing about traces except the styles of their text, and keeps no state.
package screen
