package service

const countsCycles = true

// cycles reads the processor's time stamp counter, by which hardware events are
// told.
func cycles() uint64
