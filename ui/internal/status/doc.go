// Package status writes the lines at the top and at the bottom: messages, what the reader of
// the trace does, how a trace grows, and what is wrong with it.
package status
