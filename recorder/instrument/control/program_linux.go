package control

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"unsafe"

	"tracex/recorder/instrument/raw"
)

// Program is a running program that can be told to record.
type Program struct {
	PID    int
	file   *os.File
	page   []byte
	before uint32 // AtSession when Begin asked
}

// Close lets others control the program. It does not end a recording.
func (p *Program) Close() error {
	return errors.Join(syscall.Munmap(p.page), p.file.Close())
}

// Own makes the program's user the owner of a folder, so that the program can write into it. Only
// root can do that for another user.
func (p *Program) Own(folder string) error {
	st, err := p.file.Stat()
	if err != nil {
		return err
	}
	owner, ok := st.Sys().(*syscall.Stat_t)
	if !ok || int(owner.Uid) == os.Geteuid() {
		return nil
	}
	return os.Chown(folder, int(owner.Uid), int(owner.Gid))
}

// Alive reports whether there is a process that has not ended.
func Alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	// PID (name) S: the name may have anything in it.
	after := stat[bytes.LastIndexByte(stat, ')')+1:]
	return !bytes.HasPrefix(after, []byte(" Z")) && !bytes.HasPrefix(after, []byte(" X"))
}

// EndStarted asks a program that has recorded from its start, into the raw file at path, to stop. It does so
// at its next call of an instrumented function. running is false if the program has ended, or records no
// longer.
func EndStarted(path string) (h *raw.Header, running bool, err error) {
	f, err := raw.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	h = &f.Head
	if h.Control != raw.Recording && h.Control != raw.Lost || !Alive(int(h.PID)) || !maps(int(h.PID), filepath.Base(path)) {
		return h, false, nil
	}
	out, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return h, true, err
	}
	defer out.Close()
	_, err = out.WriteAt(binary.LittleEndian.AppendUint32(nil, raw.Ending), raw.AtControl)
	return h, true, err
}

// maps reports whether a process has mapped a file with a name: another one may have its process id by now.
func maps(pid int, name string) bool {
	all, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	return err == nil && strings.Contains(string(all), "/"+name)
}

func (p *Program) state() *atomic.Uint32 {
	return (*atomic.Uint32)(unsafe.Pointer(&p.page[raw.AtState]))
}

func (p *Program) number(at int) uint32 {
	return atomic.LoadUint32((*uint32)(unsafe.Pointer(&p.page[at])))
}

// put writes a zero-terminated text.
func (p *Program) put(at, size int, text string) {
	n := copy(p.page[at:at+size-1], text)
	p.page[at+n] = 0
}

func errnoText(n int) string { return syscall.Errno(n).Error() }
