// Package screen draws text in cells: the output for a text that may be hostile ([NextCell]),
// lines of an exact width ([Line]), styles and signs, and how numbers, durations, keys and
// errors are written.
//
// It knows nothing about traces except the styles of their text, and keeps no state.
package screen
