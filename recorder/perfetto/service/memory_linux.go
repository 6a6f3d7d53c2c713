package service

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// memoryShared reports whether memory can be shared with producers on this machine.
const memoryShared = true

// seals fix the size of memory permanently, so that a mapping is safe.
const seals = unix.F_SEAL_SEAL | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW

// makeMemory makes memory for a producer, sealed, and maps it.
func makeMemory(size int) (data []byte, file *os.File, err error) {
	fd, err := unix.MemfdCreate("perfetto_shmem", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, nil, fmt.Errorf("memfd_create: %w", err)
	}
	file = os.NewFile(uintptr(fd), "perfetto_shmem")
	err = file.Truncate(int64(size))
	if err == nil {
		if _, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
			err = fmt.Errorf("sealing: %w", err)
		}
	}
	if err == nil {
		data, err = mapShared(file, size)
	}
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return data, file, nil
}

var errNoPath = errors.New("the memory has no path")

// makeMemoryAt makes memory in a new file, whose blocks it allocates: without them, a write to the memory
// could kill a program when the disk is full.
func makeMemoryAt(path string, size int) (data []byte, file *os.File, err error) {
	if path == "" {
		return nil, nil, errNoPath
	}
	if file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		return nil, nil, err
	}
	if err = unix.Fallocate(int(file.Fd()), 0, 0, int64(size)); err == nil {
		data, err = mapShared(file, size)
	}
	if err != nil {
		return nil, nil, errors.Join(err, file.Close(), os.Remove(path))
	}
	return data, file, nil
}

// leastRoom is how many bytes must be free on a disk where what programs write is kept.
const leastRoom = 64 << 20

// roomy reports whether the disk of a folder has that room.
func roomy(folder string) bool {
	var s unix.Statfs_t
	return unix.Statfs(folder, &s) != nil || s.Bavail*uint64(s.Bsize) >= leastRoom
}

// mostFile returns the limit for the size of files, which memory has, too.
func mostFile() int {
	var l unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_FSIZE, &l) != nil {
		return maxMemory
	}
	return int(min(l.Cur, maxMemory))
}

// sealedSize returns the size in bytes of memory made by a producer. It fails unless
// the memory is sealed.
func sealedSize(file *os.File) (int64, error) {
	got, err := unix.FcntlInt(file.Fd(), unix.F_GET_SEALS, 0)
	if err != nil {
		return 0, fmt.Errorf("seals: %w", err)
	}
	if got&seals != seals {
		return 0, fmt.Errorf("seals are %#x, want %#x", got, seals)
	}
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func mapShared(file *os.File, size int) ([]byte, error) {
	data, err := unix.Mmap(int(file.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("mmap: %w", err)
	}
	return data, nil
}

func unmap(data []byte) {
	if data != nil {
		_ = unix.Munmap(data) // fails only for what was not mapped
	}
}
