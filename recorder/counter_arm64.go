package recorder

// counter reads the virtual count of the generic timer.
func counter() uint64

// reliableCounter is true: the architecture requires the timer to run at a constant rate, and
// in step on all cores.
func reliableCounter() bool { return true }
