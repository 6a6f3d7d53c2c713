// Package saving writes what the explorer exports to files, in the background: one at a time. A file takes its
// place when it is complete; of an export that fails or is stopped nothing is left.
package saving
