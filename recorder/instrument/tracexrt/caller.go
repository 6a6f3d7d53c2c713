//go:build tracexrt

package tracexrt

import "unsafe"

// What is between a call in the source and the function that it calls: the compiler's wrappers of methods
// and of go statements, what package reflect calls functions with, and the runtime's deferreturn. Stack
// traces leave them out, and so do the places of calls.

// A bitmap of the program's code says what is left out, with a bit for so many bytes of code: no
// function of Go begins elsewhere.
const betweenBytes = 16

var (
	between     uintptr // the bitmap
	betweenSize uintptr // bytes of code that it covers; 0 if there is none
)

// findBetween makes the bitmap, once. The lock is held.
func findBetween() {
	if between != 0 || offModuleFtab == 0 || offFuncID == 0 || funcIDWrapper == 0 {
		return
	}
	m := uintptr(unsafe.Pointer(lastmoduledatap))
	table, n := *word(m + offModuleFtab), *word(m + offModuleFtab + 8)
	functions, names := *word(m + offModuleFtabBytes), *word(m + offModuleNames)
	if n < 2 {
		return
	}
	// An entry is u32 offset of the function's code, u32 offset of what is known of it. The last one ends
	// the code.
	size := uintptr(*u32(table + (n-1)*8))
	if between = memory(size/betweenBytes/8 + 1); between == 0 {
		return
	}
	for i := range n - 1 {
		e := table + i*8
		f := functions + uintptr(*u32(e + 4))
		if !isBetween(f, names+uintptr(*u32(f + offFuncName))) {
			continue
		}
		end := uintptr(*u32(e + 8)) / betweenBytes
		for b := (uintptr(*u32(e)) + betweenBytes - 1) / betweenBytes; b < end; b++ {
			*u8(between + b/8) |= 1 << (b % 8)
		}
	}
	betweenSize = size
}

// isBetween reports whether a function is left out, given what is known of it and its name, which a zero
// ends. A wrapper of a deferred call is not: its place is that of the defer statement. Nor is a wrapper
// into which the method is inlined: calls in it have places in the method.
func isBetween(f, name uintptr) bool {
	if *u8(f + offFuncID) != funcIDWrapper {
		return false
	}
	n := uintptr(0)
	for *u8(name + n) != 0 {
		n++
	}
	s := unsafe.String(u8(name), n)
	switch s {
	case "reflect.callMethod", "reflect.callReflect", "runtime.deferreturn":
		return true
	}
	data := f + sizeFunc + uintptr(*u32(f + offFuncPcdata))*4
	if *u8(f + offFuncFuncdata) > funcdataInlTree && *u32(data + funcdataInlTree*4) != 1<<32-1 {
		return false
	}
	for n > 0 && s[n-1]-'0' <= 9 {
		n--
	}
	const deferred = ".deferwrap"
	return n < uintptr(len(deferred)) || s[n-uintptr(len(deferred)):n] != deferred
}

// isLeftOut reports whether an offset in the program's code is in what is left out.
//
//go:nosplit
func isLeftOut(at uintptr) bool {
	return at < betweenSize && *u8(between + at/betweenBytes/8)>>(at/betweenBytes%8)&1 != 0
}

// caller returns the return address, from text, of the innermost frame that is not left out, of those that
// called the caller's caller. It is nosplit: a stack that moved would leave wrong addresses.
//
//go:nosplit
//go:noinline
func caller() uintptr {
	const most = 16                    // wrappers that call one another
	fp := *word(*word(framePointer())) // of the function that called Enter
	at := *word(fp + 8) - text
	for range most {
		if !isLeftOut(at) {
			break
		}
		fp = *word(fp)
		at = *word(fp + 8) - text
	}
	return at
}
