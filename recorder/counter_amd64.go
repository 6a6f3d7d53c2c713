package recorder

import (
	"os"
	"runtime"
	"strings"
	"sync"
)

// counter reads the processor's time stamp counter.
func counter() uint64

func cpuid(leaf uint32) (eax, edx uint32)

// reliableCounter reports whether the counter runs at a constant rate, whatever the processor
// does, and in step on all cores. The processor reports the first; Linux has checked the second
// if it uses the counter itself.
var reliableCounter = sync.OnceValue(func() bool {
	const powerLeaf, invariant = 0x8000_0007, 1 << 8
	if most, _ := cpuid(0x8000_0000); most < powerLeaf {
		return false
	}
	if _, edx := cpuid(powerLeaf); edx&invariant == 0 {
		return false
	}
	if runtime.GOOS != "linux" {
		return true
	}
	source, err := os.ReadFile("/sys/devices/system/clocksource/clocksource0/current_clocksource")
	return err == nil && strings.TrimSpace(string(source)) == "tsc"
})
