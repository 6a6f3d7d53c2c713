//go:build tracexrt

package tracexrt

import "unsafe"

// The numbers of objects. An object's number is made from its address. After a garbage collection another
// object may be there, which gets another number: the runtime knows for each place of its heap whether what
// is there was allocated before the last collection or after it. So the table of objects says for each
// address in which collection cycle it was last recorded, and what the number was. If that is longer ago
// than the last cycle, and what is there is not new, it may be the same object or one that was allocated
// since and never recorded: the number stays, and is in doubt.

const (
	numberBits  = 30
	numberMask  = 1<<numberBits - 1
	golden      = 663608941 // numberMask times the golden ratio: keeps the numbers of cycles apart
	setBits     = 18
	setWays     = 4
	objectsSize = 1 << setBits * setWays * 8
	tagBits     = 48 - setBits
	granule     = 5 // bits of an address that a set is for
	cycleMost   = 1<<16 - 1
)

// An entry of the table: the tag of an address, the cycle in which it was recorded last, the one in which the
// object was new, and whether its number is in doubt. 0 is no entry.
const (
	entryDoubt = 1
	entryBorn  = 2  // shift
	entryCycle = 18 // shift
	entryTag   = 34 // shift
)

var (
	objects    uintptr // the table; 0 if collections are not known
	firstCycle uint32  // sweepgen in the first cycle of the era
	era        uintptr // how often the table was emptied
	forgotten  uint32  // 1 if the table has lost an entry
)

// beginObjects makes the table, or empties it. The lock is held.
func beginObjects() {
	if offGM == 0 || offMP == 0 || offPCache == 0 || offFlushGen == 0 || offSweepgen == 0 || offAllocBits == 0 {
		return
	}
	firstCycle = sweepgen()
	if objects != 0 {
		syscall6(sysMadvise, objects, objectsSize, madviseDontNeed, 0, 0, 0)
	} else if p := syscall6(sysMmap, 0, objectsSize, protRead|protWrite, mapPrivate|mapAnonymous|mapNoReserve, ^uintptr(0), 0); !failed(p) {
		objects = p
	}
}

// renewObjects begins another era when the cycles no longer fit into entries.
//
//go:noinline
func renewObjects() {
	acquire()
	if (sweepgen()-firstCycle)/2 >= cycleMost {
		era++
		forgotten = 1
		beginObjects()
	}
	release()
}

// numberOf returns the number of an address whose object was new in a cycle; 0 for the first object there.
func numberOf(a, born uintptr) uint64 {
	a >>= 3 // objects are aligned
	return uint64((a^a>>numberBits)+born*golden) & numberMask
}

// numbered returns how the file has the object at an address with an entry.
func numbered(a uintptr, e uint64) uint64 {
	born := uintptr(e >> entryBorn & cycleMost)
	if born != 0 {
		born += era * (cycleMost + 1)
	}
	return numberOf(a, born)<<ObjectShift | e&entryDoubt<<ObjectDoubtBit
}

// object returns how the file has the object that a pointer points to, or into.
func object(p unsafe.Pointer) uint64 {
	a := uintptr(p)
	if a>>36 != heap || objects == 0 {
		return numberOf(a, 0) << ObjectShift
	}
	cycle := uintptr(sweepgen()-firstCycle)/2 + 1
	set, tag := setOf(a)
	for i := uintptr(0); i < setWays*8 && cycle <= cycleMost; i += 8 {
		if e := *u64(set + i); e>>entryCycle == tag<<(entryTag-entryCycle)|uint64(cycle) {
			return numbered(a, e)
		}
	}
	return meet(p, set, tag)
}

// setOf returns the set for an address, and what tells the address apart in it. Neighbours in the heap have
// neighbouring sets.
func setOf(a uintptr) (set uintptr, tag uint64) {
	above := a >> (granule + setBits) & (1<<(tagBits-granule) - 1)
	index := (a>>granule ^ above*golden) & (1<<setBits - 1)
	return objects + index*setWays*8, uint64(above<<granule | a&(1<<granule-1))
}

// meet returns the same as object for an address that is recorded the first time in this cycle.
//
//go:noinline
func meet(p unsafe.Pointer, set uintptr, tag uint64) uint64 {
	gp := running()
	if hi := *word(gp + offStackHi); uintptr(p) < hi && uintptr(p) >= *word(gp + offStackLo) {
		return stackNumber(hi-uintptr(p), known(gp))
	}
	for {
		gen := sweepgen()
		cycle := uint64(gen-firstCycle)/2 + 1
		if cycle > cycleMost {
			renewObjects()
			continue
		}
		base, span, index := findObject(uintptr(p), 0, 0)
		if base == 0 {
			return stackNumber(uintptr(p), nil)
		}
		// A span has the heap's sweepgen when it has been swept, 3 more while a processor allocates from
		// it. Until then nothing is allocated in it.
		swept := *u32(span + offSweepgen)
		bits := *word(span + offAllocBits)
		isNew := (swept == gen || swept == gen+3) && *u8(bits + index/8)>>(index%8)&1 == 0
		if sweepgen() != gen {
			continue
		}
		e, ok := enter(set, tag, cycle, isNew)
		keepAlive(p) // until here it is what findObject found
		if ok {
			return numbered(uintptr(p), e)
		}
	}
}

// enter notes in a set that an address is recorded in a cycle, and returns its entry. It fails if another
// goroutine was faster.
func enter(set uintptr, tag, cycle uint64, isNew bool) (e uint64, ok bool) {
	var at uintptr
	var old uint64
	oldest := uint64(1 << 16)
	for i := uintptr(0); i < setWays*8; i += 8 {
		e := *u64(set + i)
		if e>>entryTag == tag && e != 0 {
			at, old = set+i, e
			break
		}
		if c := e >> entryCycle & cycleMost; c < oldest {
			at, old, oldest = set+i, e, c
		}
	}
	last, born, doubt := old>>entryCycle&cycleMost, old>>entryBorn&cycleMost, old&entryDoubt
	switch known := old != 0 && old>>entryTag == tag; {
	case isNew && (known && last != cycle || forgotten != 0):
		born, doubt = cycle, 0
	case !known:
		born, doubt = 0, uint64(forgotten)
		if old != 0 {
			forgotten = 1
		}
	case last+1 < cycle:
		doubt = entryDoubt
	}
	e = tag<<entryTag | cycle<<entryCycle | born<<entryBorn | doubt
	return e, compareAndSwap64(u64(at), old, e)
}

// keepAlive keeps what a pointer points to from being collected before the call.
//
//go:noinline
func keepAlive(unsafe.Pointer) {}

// stackNumber returns how the file has what is on a stack, so far below its end. The number tells calls apart,
// by the innermost recorded one whose frame is outside; it does not tell apart what a function has at one
// place one after the other. st is nil if the stack or its calls are not known.
func stackNumber(off uintptr, st *goroutine) uint64 {
	key := uint64(off)
	if st != nil {
		d := st.depth - 1
		for d >= 0 && st.stack[d].off >= off {
			d--
		}
		key ^= st.id * 0x9e3779b97f4a7c15
		if d >= 0 {
			key += (st.stack[d].begun - uint64(st.stack[d].off)) * 0xbf58476d1ce4e5b9
		}
	}
	key = (key ^ key>>29) * 0x94d049bb133111eb
	return key>>(64-numberBits)<<ObjectShift | 1<<ObjectStackBit
}
