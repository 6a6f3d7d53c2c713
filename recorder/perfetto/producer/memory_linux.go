package producer

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// seals fix the size of memory permanently, so that a mapping is safe.
const seals = unix.F_SEAL_SEAL | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW

func newSharedMemory(size, pageSize int) (*memory, error) {
	const name = "perfetto_shmem"
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("producer: creating shared memory: %w", err)
	}
	file := os.NewFile(uintptr(fd), name)
	err = file.Truncate(int64(size))
	if err == nil {
		_, err = unix.FcntlInt(file.Fd(), unix.F_ADD_SEALS, seals)
	}
	var m *memory
	if err == nil {
		m, err = mapped(file, size, pageSize)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("producer: creating shared memory: %w", err), file.Close())
	}
	m.file = file
	return m, nil
}

// keepSize makes sure that memory of the service cannot shrink: a write beyond its
// end would kill the program. It accepts files that do not support seals.
func keepSize(file *os.File) error {
	got, err := unix.FcntlInt(file.Fd(), unix.F_GET_SEALS, 0)
	if err != nil || got&unix.F_SEAL_SHRINK != 0 {
		return nil
	}
	if _, err := unix.FcntlInt(file.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK); err != nil {
		return fmt.Errorf("the memory can be made smaller: its seals are %#x (%w)", got, err)
	}
	return nil
}
