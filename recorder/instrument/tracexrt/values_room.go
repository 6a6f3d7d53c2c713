//go:build tracexrt

package tracexrt

import "unsafe"

// Options: how much of values is recorded.
var (
	depthMost   = 0            // how many pointers are followed
	stringsMost = uintptr(64)  // bytes of a string
	fieldsMost  = 12           // fields of a struct
	listMost    = uintptr(8)   // elements of slices, arrays and maps, whatever the depth is
	valueMost   = uintptr(320) // bytes that a value takes in the file, unless it is an error or a panic
)

const (
	// failing marks a depth as that of a value within an error, or within the value of a panic: texts are
	// kept longer there, because what an error wraps is at the end of its text, and other errors are followed.
	failing = 1 << 16
	// within marks a depth as that of a value in a struct or a list, where elements leave room for what follows.
	within = 1 << 17
	// failureText is how many bytes of a text are kept there, unless no texts are wanted, failureFields how
	// many fields at least, and failureMost how many bytes the whole takes.
	failureText   = 1 << 10
	failureFields = 12
	failureMost   = uintptr(2 << 10)
)

// steps returns how many more pointers are followed at a depth.
func steps(depth int) int { return depth & (failing - 1) }

// further returns the depth after another pointer.
func further(depth int) int {
	if steps(depth) == 0 {
		return depth
	}
	return depth - 1
}

// textMost returns how many bytes of a text are kept.
func textMost(depth int) uintptr {
	if depth&failing != 0 && stringsMost > 0 {
		return max(stringsMost, failureText)
	}
	return stringsMost
}

// countMost returns how many fields or elements are kept.
func countMost(depth int) int {
	if depth&failing != 0 {
		return max(fieldsMost, failureFields)
	}
	return fieldsMost
}

// partOf returns the room that a list at p may take.
func partOf(p, room uintptr, depth int) uintptr {
	if depth&within != 0 && room > p {
		return p + (room-p)/2
	}
	return room
}

// failure returns the depth for an error, or for the value of a panic, that was met at a depth.
func failure(depth int) int { return max(steps(depth), 1) | failing }

// bound returns how many bytes arguments take at most.
//
//go:noinline
func bound(args []any, follow uint64) uintptr {
	n := uintptr(0)
	for i := range args {
		switch t := (*eface)(unsafe.Pointer(&args[i])).typ; {
		case t == nil:
		case follow>>i&1 != 0:
			n += boundFailure
		default:
			n += boundOf(meant(t), depthMost)
		}
		n++
	}
	return n
}

// boundResults returns how many bytes the results that pointers point to take at most.
//
//go:noinline
func boundResults(results []any) uintptr {
	n := uintptr(0)
	for i := range results {
		t := elemOf(&results[i])
		switch {
		case t != errorType:
			n += boundOf(t, depthMost)
		case *(*uintptr)((*eface)(unsafe.Pointer(&results[i])).data) != 0:
			n += boundFailure
		}
		n++
	}
	return n
}

// boundFailure is boundOf for an error, or for the value of a panic.
const boundFailure = 5 + failureMost

func boundOf(t *rtype, depth int) uintptr {
	switch k := t.kindOf(); {
	case k == kindString:
		return 5 + 6 + min(stringsMost, 255)
	case k == kindStruct, k == kindArray, k == kindInterface, k == kindPointer && depth > 0, k == kindSlice && (depth > 0 || listMost > 0),
		k == kindMap && listMost > 0:
		return valueMost
	}
	return 5 + 17 // a type, and the longest number
}
