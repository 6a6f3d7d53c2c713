package recording

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"tracex/recorder"
	"tracex/recorder/convert/importer"
	"tracex/recorder/instrument/control"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/shared"
)

// traceSource is what a trace is made from while a command runs whose programs may record in two
// ways: with a recorder of their own, which sends packets, or as instrumented programs, into raw
// files. If raw files come first, packets join them, see packetJoiner. If packets come first, raw files are
// added in the end, see rawAdder.
type traceSource struct{ which atomic.Int32 }

const (
	fromPackets int32 = 1 + iota
	fromRaws
)

// take makes this the source if there is none yet, and reports whether it is.
func (s *traceSource) take(which int32) bool {
	return s.which.CompareAndSwap(0, which) || s.which.Load() == which
}

// takeRaws makes raw files the source if there are some and there is no source yet, and reports whether they
// are the source.
func (s *traceSource) takeRaws(dir *Directory) bool {
	return RawFiles(dir.Path()) != nil && s.take(fromRaws)
}

// errOtherSource is why packets are not converted while they arrive.
var errOtherSource = errors.New("the trace has the calls of instrumented programs")

// conversion makes the trace of packets.
func (m *maker) conversion() *importer.Conversion {
	c := &importer.Conversion{Output: m.Output, Force: m.Replace, Version: m.Version, Begin: m.Listener.Begin}
	if m.dir != nil {
		// The directory is removed with all that is in it, also if this process is killed.
		c.Dir, c.Claim = m.dir.Path(), func() (restore func(), err error) { return m.dir.Claim(m.Output) }
	}
	return c
}

// RawFolder is the suffix of the folder for KeepRaws, after the name of the trace.
const RawFolder = ".raw"

// keepRawFiles moves what programs wrote out of the directory, with KeepRaws. packets is the path of their packets;
// "" if there are none.
func (m *maker) keepRawFiles(packets string) error {
	if !m.KeepRaws {
		return nil
	}
	files := RawFiles(m.dir.Path())
	to, err := m.moveRawFiles(files)
	if err == nil && packets != "" {
		err = os.Rename(packets, SpoolIn(to))
	}
	if err == nil {
		m.Listener.KeptRaws(len(files), to)
	}
	return err
}

// keepOtherRaws keeps raw files beside a trace that is made of packets, and lacks them.
func (m *maker) keepOtherRaws() (keep bool, err error) {
	files := RawFiles(m.dir.Path())
	if files == nil {
		return false, nil
	}
	to, err := m.moveRawFiles(files)
	if err != nil {
		return true, err
	}
	m.Listener.OtherRaws(to)
	return false, nil
}

// moveRawFiles moves raw files to the folder of KeepRaws.
func (m *maker) moveRawFiles(files []string) (to string, err error) {
	to = m.Output + RawFolder
	if err := os.MkdirAll(to, 0o700); err != nil {
		return to, err
	}
	for _, f := range files {
		if err := os.Rename(f, filepath.Join(to, filepath.Base(f))); err != nil {
			return to, err
		}
	}
	return to, nil
}

// endRunning ends the recording of instrumented programs that still run when the trace is completed, and
// tells which: their raw files are about to be removed, and would grow unseen.
func (m *maker) endRunning() {
	for _, path := range RawFiles(m.dir.Path()) {
		if h, running, err := control.EndStarted(path); running && err == nil {
			m.Listener.StillRuns(h.Program(), h.PID)
		}
	}
}

// finishRecorders writes the packets that killed programs had recorded but not sent, and reports
// whether there were any. What cannot be read, or not yet, is kept beside the trace, as dir will be
// removed; trace is "" if it stays.
func finishRecorders(tell Listener, dir, trace string, to io.Writer) (recorded bool) {
	left, err := os.ReadDir(dir)
	if err != nil {
		tell.Remark("the last calls of programs may be missing", err)
	}
	for _, entry := range left {
		if !strings.HasSuffix(entry.Name(), recorder.LiveSuffix) {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		done, err := shared.Finish(path, to)
		kept := func() (where string) {
			if trace == "" {
				return ""
			}
			return "; what it left is kept in " + keepLive(path, trace)
		}
		switch {
		case errors.Is(err, shared.ErrRecording):
			if exists(path + shared.UnsentSuffix) { // it went on without the service
				tell.Remark("what a program records that still runs is not in the trace", errors.New("its service was killed"+kept()))
			}
		case err != nil:
			tell.Remark("the last calls of a program are missing", fmt.Errorf("%w%s", err, kept()))
		default:
			recorded = recorded || done.Bytes > 0
		}
		if done.Missing > 0 {
			tell.MissingEvents(done.Missing)
		}
		if done.Short > 0 {
			tell.MissingEnds(done.Short, kept())
		}
	}
	return recorded
}

// keepLive keeps the live file of a program beside a trace, and what the program wrote beside it. It returns the path.
func keepLive(path, output string) string {
	if unsent := path + shared.UnsentSuffix; exists(unsent) {
		keepBeside(unsent, output, ".unread"+recorder.LiveSuffix+shared.UnsentSuffix)
	}
	return keepBeside(path, output, ".unread"+recorder.LiveSuffix)
}

// RawFiles returns what instrumented programs wrote: the raw files in a folder, or the one at
// path; nil if there are none.
func RawFiles(path string) []string {
	if st, err := os.Stat(path); err != nil {
		return nil
	} else if st.IsDir() {
		files, _ := filepath.Glob(filepath.Join(escapeGlob(path), "*"+raw.Suffix))
		return files
	} else if !st.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	var head [8]byte
	if _, err := io.ReadFull(f, head[:]); err != nil || binary.LittleEndian.Uint64(head[:]) != raw.Magic {
		return nil
	}
	return []string{path}
}

// escapeGlob quotes what has a meaning in a pattern of files.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
