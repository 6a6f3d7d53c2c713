// Package policy defines what to do when memory is full, for the recorder and for the writers
// of shared memory.
package policy

import "fmt"

// Policy says what a goroutine does that finds no memory for what it records.
type Policy uint8

const (
	// Default is the default of the type whose field it is.
	Default Policy = 0
	// Stall waits until there is memory.
	Stall Policy = 1
	// Drop leaves out data without room, and counts it.
	Drop Policy = 2
)

func (p Policy) String() string {
	switch p {
	case Default:
		return "default"
	case Stall:
		return "stall"
	case Drop:
		return "drop"
	}
	return fmt.Sprintf("policy %d", uint8(p))
}
