// Package raw has the layout of the files that instrumented programs record into, one for each
// process. A recording program writes them through mapped memory; they are complete after each
// event, also if the process is killed.
package raw
