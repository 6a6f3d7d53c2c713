// Package recording records programs into a trace. A [Session] starts what receives their calls and events, converts
// these while the programs run, joins packets and raw files, and ends the trace, or makes one for each process.
//
// The directory of a recording, next to the trace, has what the growing trace cannot have yet: packets that can only be
// converted at the end, and the live files of the recorded programs. If the recording process is killed, these remain,
// and any process can complete the trace: see [Finish].
//
//	trace.bin.recording/
//	  lock           locked by the process that records
//	  finishing      locked by a process that completes the trace after that
//	  about.json     an [About]
//	  progress       how far the trace is, see perfetto.ResumeLive
//	  spool.pftrace  packets that are converted at the end, or, beside raw files, all packets
//	  *.tracexraw    what instrumented programs record, see package raw
//	  *.live         see shared.LiveDirectory
//	  *.live.unsent  what a program recorded after the service had gone
package recording

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tracex/format"
	"tracex/format/filelock"
	"tracex/recorder/internal/live"
)

// Suffix is appended to the trace's name to make that of the directory.
const Suffix = format.RecordingSuffix

const (
	lockName, finishingName = "lock", "finishing"
	aboutName, progressName = "about.json", "progress"
	claimedName             = "claimed"
	spoolName               = "spool.pftrace"
)

// About describes a recording.
type About struct {
	PID     int       `json:"pid"`
	Command []string  `json:"command"`
	Begun   time.Time `json:"begun"`
	Replace bool      `json:"replace"`           // an existing trace is to be replaced
	Sockets string    `json:"sockets,omitempty"` // the directory of the service's sockets
	// FormatVersion is the requested version of the trace's format; 0 if none.
	FormatVersion int `json:"formatVersion,omitempty"`
	// Split: the programs that record into raw files get a trace each.
	Split bool `json:"split,omitempty"`
	// Keep: tests get a trace each.
	Keep *Keep `json:"keep,omitempty"`
}

// Directory is a recording directory that this process holds.
type Directory struct {
	About About
	// Aside is where a trace went that was at the place of the new one; "" if there was none. Its maker sets it.
	Aside string
	path  string // absolute: programs have their own working directories
	locks []*os.File
}

// Create makes the directory of a trace, atomically. Errors: [ErrRecording], [ErrUnfinished].
func Create(trace string, about About) (*Directory, error) {
	path, err := filepath.Abs(trace + Suffix)
	if err != nil {
		return nil, err
	}
	sweep(path)
	draft, err := os.MkdirTemp(filepath.Dir(path), "."+filepath.Base(path)+"-")
	if err != nil {
		return nil, err
	}
	f := &Directory{About: about, path: draft}
	if err = f.begin(); err == nil {
		err = os.Rename(draft, path) // fails if one exists: none is empty
	}
	if err == nil {
		f.path = path
		return f, nil
	}
	f.About.Sockets = "" // the caller's
	_ = f.Remove()
	if _, there := os.Lstat(path); there == nil {
		if left, taken := Take(trace); taken == nil {
			err = errors.Join(ErrUnfinished, left.Close())
		} else if !errors.Is(taken, fs.ErrNotExist) {
			err = taken
		}
	}
	return nil, err
}

func (f *Directory) begin() error {
	if err := f.lock(lockName, nil); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	text, err := json.Marshal(f.About)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(f.path, aboutName), append(text, '\n'), 0o600)
}

// Take takes over the directory of a recording whose process has ended. Errors: fs.ErrNotExist,
// [ErrRecording], also as an [*OutlivedError], [ErrFinishing]. It fails if files cannot be locked.
func Take(trace string) (*Directory, error) {
	path, err := filepath.Abs(trace + Suffix)
	if err != nil {
		return nil, err
	}
	st, err := os.Lstat(path)
	if err == nil && !st.IsDir() {
		err = &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist} // it is something else
	}
	if err != nil {
		return nil, err
	}
	f := &Directory{path: path}
	if text, err := os.ReadFile(filepath.Join(path, aboutName)); err == nil {
		_ = json.Unmarshal(text, &f.About) // little is lost without it
	}
	// If the first lock is taken, the holder of the second does not matter.
	if err = f.lock(finishingName, ErrFinishing); err == nil {
		err = f.lock(lockName, ErrRecording)
	}
	if err == nil {
		if now, fault := os.Lstat(path); fault != nil || !os.SameFile(st, now) {
			err = ErrFinishing // it was removed, and may have been replaced
		} else {
			err = outlived(path)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrFinishing // it is being removed
		if _, gone := os.Lstat(path); gone != nil {
			err = gone
		}
	}
	if err == nil {
		return f, nil
	}
	pid := f.About.PID
	_ = f.Close()
	if outlived := (*OutlivedError)(nil); errors.Is(err, ErrRecording) && !errors.As(err, &outlived) && pid > 0 {
		err = fmt.Errorf("%w by process %d", err, pid)
	}
	return nil, err
}

// lock locks a file of the directory; held is the error if another process has locked it.
func (f *Directory) lock(name string, held error) error {
	file, err := os.OpenFile(filepath.Join(f.path, name), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := filelock.Lock(file); err != nil {
		_ = file.Close()
		if errors.Is(err, filelock.ErrLocked) {
			return held
		}
		return err
	}
	f.locks = append(f.locks, file)
	return nil
}

// Path is the directory, in which the programs' live files go.
func (f *Directory) Path() string { return f.path }

// Spool is the path of the file of packets that are converted at the end. It need not exist yet.
func (f *Directory) Spool() string { return SpoolIn(f.path) }

// SpoolIn is the path of that file in a folder with the contents of a Directory.
func SpoolIn(folder string) string { return filepath.Join(folder, spoolName) }

// Progress is the path of the file that says how far the trace is. It need not exist.
func (f *Directory) Progress() string { return filepath.Join(f.path, progressName) }

// State returns why a trace may have no end, without changing the recording: [ErrRecording] while it is
// recorded, [ErrFinishing] while another process completes it, [ErrUnfinished] if it can be completed;
// nil if there is no recording. begun reports whether calls are in the trace.
func State(trace string) (begun bool, err error) {
	f, err := Take(trace)
	if err == nil {
		err = errors.Join(ErrUnfinished, f.Close())
	}
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	st, missing := os.Stat(filepath.Join(trace+Suffix, progressName))
	return missing == nil && st.Size() > 0, err
}

// Close releases the directory without changing it.
func (f *Directory) Close() error {
	var err error
	for _, file := range f.locks {
		err = errors.Join(err, file.Close())
	}
	f.locks = nil
	return err
}

// Remove removes the directory, and that of the sockets.
func (f *Directory) Remove() error {
	// It goes at once: a half-removed directory could be taken for one that was left.
	gone := goneName(f.path, fmt.Sprint(os.Getpid()))
	if err := os.Rename(f.path, gone); err != nil {
		gone = f.path
	}
	removeSockets(f.About.Sockets)
	return errors.Join(os.RemoveAll(gone), f.Close())
}

// goneName returns the name under which a directory is removed.
func goneName(path, pid string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"-gone-"+pid)
}

// sweep removes what is left of directories whose removal was cut short.
func sweep(path string) {
	prefix := filepath.Base(goneName(path, ""))
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			_ = os.RemoveAll(filepath.Join(filepath.Dir(path), e.Name())) // otherwise the next recording does
		}
	}
}

// SocketsPrefix is the prefix of the names of socket directories.
const SocketsPrefix = "tracex-record-"

// removeSockets removes a socket directory, and nothing else that about.json may name.
func removeSockets(dir string) {
	if !strings.HasPrefix(filepath.Base(dir), SocketsPrefix) {
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.Type() == fs.ModeSocket {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
	_ = os.Remove(dir) // another file would be foreign
}

// outlived returns an [*OutlivedError] if a program still has a live file in the folder. A program that writes a raw
// file alone can be told to stop instead.
func outlived(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil // whoever completes the trace finds out why
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), format.LiveSuffix) {
			continue
		}
		if pid := live.Holder(filepath.Join(folder, e.Name())); pid > 0 {
			return &OutlivedError{pid}
		}
	}
	return nil
}

// packetTag is the tag of a packet in a Perfetto file: field 1, with a length.
const packetTag = 1<<3 | 2

// Trim opens the spool at the end of its last whole packet, so that more can be appended, and
// cuts off an incomplete packet. If there is no spool it creates one. It returns the number of
// bytes cut.
func (f *Directory) Trim() (spool *os.File, cut int64, err error) {
	spool, err = os.OpenFile(f.Spool(), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, 0, err
	}
	whole, size, err := wholePackets(spool)
	if err == nil && whole < size {
		err = spool.Truncate(whole)
	}
	if err == nil {
		_, err = spool.Seek(whole, io.SeekStart)
	}
	if err != nil {
		return nil, 0, errors.Join(err, spool.Close())
	}
	return spool, size - whole, nil
}

// wholePackets returns how many bytes at the start of a file are whole packets, and the file's
// size.
func wholePackets(f *os.File) (whole, size int64, err error) {
	st, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	size = st.Size()
	in := bufio.NewReaderSize(io.NewSectionReader(f, 0, size), 1<<18)
	for whole < size {
		head, err := in.Peek(1 + binary.MaxVarintLen64)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, 0, err
		}
		if head[0] != packetTag {
			return size, size, nil // something else: its reader reports it
		}
		length, n := binary.Uvarint(head[1:])
		if n <= 0 || length > uint64(size-whole-1-int64(n)) {
			return whole, size, nil
		}
		if err := discard(in, 1+int64(n)+int64(length)); err != nil {
			return 0, 0, err
		}
		whole += 1 + int64(n) + int64(length)
	}
	return whole, size, nil
}

func discard(in *bufio.Reader, n int64) error {
	_, err := io.CopyN(io.Discard, in, n)
	return err
}

// producerSocket and consumerSocket are the paths of a recording's sockets.
func producerSocket(dir *Directory) string { return filepath.Join(dir.About.Sockets, "producers") }
func consumerSocket(dir *Directory) string { return filepath.Join(dir.About.Sockets, "consumers") }

// SocketDir creates a directory for the sockets of a private service, named producers and
// consumers. It is among the temporary files, unless a socket's path would be too long there:
// some systems allow 103 bytes.
func SocketDir(name string) (string, error) {
	const longest, short = 103, "/tmp"
	in := os.TempDir()
	if len(filepath.Join(in, name+"4294967295", "producers")) > longest {
		if _, err := os.Stat(short); err == nil {
			in = short
		}
	}
	return os.MkdirTemp(in, name)
}
