package control

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"
	"time"

	"tracex/recorder/instrument/raw"
)

// Find returns the program with a process id. The caller closes it. Errors: [ErrNoProcess], [ErrDenied],
// [ErrNotBuilt], [ErrBusy].
func Find(pid int) (*Program, error) {
	proc := fmt.Sprintf("/proc/%d", pid)
	maps, err := os.Open(proc + "/maps")
	if err == nil {
		defer maps.Close()
		var at string
		if at, err = mappedControl(maps); err == nil {
			// As the program sees it, which may have another root.
			return findAt(proc+"/root"+at, pid)
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ESRCH): // the second: it ended meanwhile
		return nil, ErrNoProcess
	case !errors.Is(err, fs.ErrPermission):
		return nil, err
	}
	// The mappings of the user's own processes can be secret, too, and root may lack the capability.
	user, err := userOf(proc)
	switch {
	case err != nil:
		return nil, err
	case user != os.Geteuid() && os.Geteuid() != 0:
		return nil, ErrDenied
	}
	for _, folder := range controlFolders(user) {
		if p, err := findAt(path.Join(folder, strconv.Itoa(pid)), pid); !errors.Is(err, ErrNotBuilt) {
			return p, err
		}
	}
	return nil, ErrNotBuilt
}

// findAt returns the program with the control file at a path.
func findAt(path string, pid int) (*Program, error) {
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOFOLLOW, 0)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, ErrDenied
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrNotBuilt
	case err != nil:
		return nil, err
	}
	p, err := openProgram(f, pid)
	if err != nil {
		f.Close()
	}
	return p, err
}

// openProgram maps a control file. While it is open, no other process controls the program.
func openProgram(f *os.File, pid int) (*Program, error) {
	// The program itself locks the file for a moment when it looks for its controller.
	const patience = 200 * time.Millisecond
	for begun := time.Now(); syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil; time.Sleep(pollEvery) {
		if time.Since(begun) > patience {
			return nil, ErrBusy
		}
	}
	if st, err := f.Stat(); err != nil || st.Size() < raw.ControlSize || !st.Mode().IsRegular() {
		return nil, errors.Join(fmt.Errorf("%s is not the control file of a program", f.Name()), err)
	}
	page, err := syscall.Mmap(int(f.Fd()), 0, raw.ControlSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, &fs.PathError{Op: "mmap", Path: f.Name(), Err: err}
	}
	p := &Program{PID: pid, file: f, page: page}
	if binary.LittleEndian.Uint64(page[raw.AtMagic:]) != raw.ControlMagic {
		return nil, errors.Join(fmt.Errorf("%s is not the control file of a program", f.Name()), syscall.Munmap(page))
	}
	if v := p.number(raw.AtVersion); v != raw.Version {
		return nil, errors.Join(fmt.Errorf("the program was made by another version of tracex build: it has version %d of the protocol, this is %d", v, raw.Version), syscall.Munmap(page))
	}
	return p, nil
}

// mappedControl returns the path of the control file among the mappings of a process. Errors: [ErrNotBuilt] if
// there is none, [ErrBusy] if the process has recorded since it began, and those of the reader.
func mappedControl(maps io.Reader) (at string, err error) {
	none := ErrNotBuilt
	lines := bufio.NewScanner(maps)
	for lines.Scan() {
		begin := strings.IndexByte(lines.Text(), '/')
		if begin < 0 {
			continue
		}
		at := lines.Text()[begin:]
		if strings.HasSuffix(at, raw.Suffix) {
			none = ErrBusy
			continue
		}
		folder, name := path.Split(at)
		folder = strings.TrimSuffix(folder, "/")
		if _, err := strconv.ParseUint(name, 10, 32); err == nil && (strings.HasSuffix(folder, "/tracex") || strings.HasPrefix(folder, raw.TempFolder)) {
			return at, nil
		}
	}
	if err := lines.Err(); err != nil {
		return "", err
	}
	return "", none
}

// controlFolders returns where the programs of a user have their control files.
func controlFolders(user int) []string {
	id := strconv.Itoa(user)
	folders := []string{raw.TempFolder + id, "/run/user/" + id + "/tracex"}
	if own := os.Getenv("XDG_RUNTIME_DIR"); own != "" {
		folders = append(folders, own+"/tracex")
	}
	return folders
}

// userOf returns the user of a process, whose folder below /proc is given.
func userOf(proc string) (user int, err error) {
	status, err := os.ReadFile(proc + "/status")
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNoProcess
	}
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(status), "\nUid:\t")
	if _, err := fmt.Sscan(rest, &user); err != nil {
		return 0, fmt.Errorf("%s/status has no user: %w", proc, err)
	}
	return user, nil
}
