//go:build tracexrt

package tracexrt

import "unsafe"

// The line from which this process descends: see AtLine and AtNamespace.
var (
	line      [LineMost][2]uint64
	namespace uint64
	lineRead  bool
)

// putLine writes the line into a header. The lock is held. The files in /proc are read once, a few microseconds each.
func putLine(h uintptr, pid uint64) {
	if !lineRead {
		lineRead = true
		readNamespace()
		readLine(pid)
	}
	*u64(h + AtNamespace) = namespace
	for i := range line {
		at := h + AtLine + uintptr(i)*LineSize
		*u64(at), *u64(at + 8) = line[i][0], line[i][1]
	}
}

// putBoot writes what the clock of the system was at AtNanos. The thread may be interrupted between the readings of two clocks: the closest pair counts.
func putBoot(h uintptr) {
	var now [2]int64
	const clockBoot, tries = 7, 8
	least := ^uint64(0)
	for range tries {
		before := uint64(nanotime())
		if failed(syscall6(sysClockGettime, clockBoot, uintptr(unsafe.Pointer(&now)), 0, 0, 0, 0)) {
			return
		}
		if took := uint64(nanotime()) - before; took < least {
			least = took
			*u64(h + AtBoot) = uint64(now[0]*1e9+now[1]) - (before - *u64(h + AtNanos))
		}
	}
}

// readNamespace finds the namespace of the ids.
func readNamespace() {
	var name [20]byte
	copy(name[:], "/proc/self/ns/pid")
	f := syscall6(sysOpenat, atCwd, uintptr(unsafe.Pointer(&name)), openCloseExec, 0, 0, 0)
	if failed(f) {
		return
	}
	s := uintptr(unsafe.Pointer(&scratch))
	if !failed(syscall6(sysFstat, f, s, 0, 0, 0, 0)) {
		namespace = *u64(s + 8)
	}
	syscall6(sysClose, f, 0, 0, 0, 0, 0)
}

// readLine finds the line. A process that has ended by now, or is in another namespace, ends it.
func readLine(pid uint64) {
	for i := range line {
		parent, started, ok := statOf(pid, i == 0)
		if !ok || i > 0 && started > line[i-1][1] { // the parent ended, and another process has its number
			return
		}
		line[i] = [2]uint64{pid, started}
		if pid = parent; pid == 0 {
			return
		}
	}
}

// statOf reads the parent of a process, and when it was started; ok is false if there is no such process, or if /proc is that of
// another namespace, in which this process, self, has another id.
func statOf(pid uint64, self bool) (parent, started uint64, ok bool) {
	var name [40]byte
	n := copy(name[:], "/proc/")
	if self {
		n += copy(name[n:], "self")
	} else {
		n += putDecimal(name[n:], pid)
	}
	copy(name[n:], "/stat")
	f := syscall6(sysOpenat, atCwd, uintptr(unsafe.Pointer(&name)), openCloseExec, 0, 0, 0)
	if failed(f) {
		return 0, 0, false
	}
	at := uintptr(unsafe.Pointer(&scratch))
	read := syscall6(sysRead, f, at, uintptr(len(scratch)-1), 0, 0, 0)
	syscall6(sysClose, f, 0, 0, 0, 0, 0)
	if failed(read) {
		return 0, 0, false
	}
	text := unsafe.String(u8(at), read)
	if decimal(text) != pid {
		return 0, 0, false
	}
	i := len(text) - 1
	for i >= 0 && text[i] != ')' { // the name of the program may have any characters
		i--
	}
	// What follows the name: a blank, the third field, and so on.
	const parentField, startedField = 4, 22
	for field := 2; i >= 0 && i < len(text); i++ {
		if text[i] != ' ' {
			continue
		}
		switch field++; field {
		case parentField:
			parent = decimal(text[i+1:])
		case startedField:
			return parent, decimal(text[i+1:]), true
		}
	}
	return 0, 0, false
}
