package recorder

// counter reads the virtual count of the generic timer.
func counter() uint64

// reliableCounter is true: the architecture has the timer run at one rate, and
// alike on all cores.
func reliableCounter() bool { return true }
