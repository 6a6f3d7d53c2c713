// Package fit makes what others wrote fit: texts into the limits of the format, values into its
// versions, and the names of a hostile input into a limited amount of memory.
package fit
