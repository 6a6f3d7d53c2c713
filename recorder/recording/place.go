package recording

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder"
)

// checkOutput checks, before the program runs, that the trace can be written.
func (m *maker) checkOutput() error {
	if err := m.checkRecording(); err != nil {
		return err
	}
	for _, suffix := range tracefile.Suffixes {
		if err := tracefile.Check(m.Output+suffix, true); err != nil {
			return err
		}
	}
	if m.Replace {
		return nil
	}
	return checkAside(m.Output)
}

// checkRecording checks that there is no other recording for the output.
func (m *maker) checkRecording() error {
	if m.Replace {
		return nil
	}
	_, err := State(m.Output)
	return m.unendedError(err)
}

// unendedError turns an error about a recording's directory into one about the output.
func (m *maker) unendedError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrUnfinished):
		return &TakenError{ByUnfinished, m.Output, errors.New(m.Output + Suffix + " holds an earlier recording whose trace cannot be completed")}
	case errors.Is(err, ErrRecording), errors.Is(err, ErrFinishing):
		return &TakenError{ByRecording, m.Output, fmt.Errorf("%s: %w", m.Output, err)}
	}
	return tracefile.WriteError(m.Output, err)
}

// checkFiles checks that the files of a trace that is no recording can be written.
func (m *maker) checkFiles() error {
	for _, suffix := range slices.Backward(tracefile.Suffixes) { // the data first: that is the name that the user knows
		if err := tracefile.Check(m.Output+suffix, true); err != nil {
			return err
		}
		if _, err := os.Lstat(m.Output + suffix); err == nil && !m.Replace {
			return &TakenError{ByFile, m.Output, errors.New(m.Output + suffix + " already exists")}
		}
	}
	return nil
}

// asideSuffixes are those of the files that go with a trace when a new recording takes its place. The data
// is last, so that it is never beside the files of another trace.
var asideSuffixes = []string{format.LiveSuffix, format.SumSuffix, format.NotesSuffix, format.TimesSuffix, format.IndexSuffix, ""}

// AsideName returns where the trace at a path goes when a new recording takes its place: trace.old.bin for
// trace.bin.
func AsideName(path string) string {
	stem, isBin := strings.CutSuffix(path, ".bin")
	if isBin {
		return stem + ".old.bin"
	}
	return path + ".old"
}

// checkAside checks that a new recording may take the place of what is at a path: only a trace goes aside, and
// only where another trace is, or nothing. A trace that its program is still recording stays.
func checkAside(output string) error {
	for _, path := range []string{output, AsideName(output)} {
		if path != output && !exists(output) {
			return nil
		}
		if other := foreign(path); other != "" {
			what := other + " already exists"
			if path != output {
				what = "the trace at " + output + " would become " + path + ", but " + what
			}
			return &TakenError{ByForeign, output, errors.New(what + " and is no file of a trace")}
		}
		if err := recorder.CheckEnded(path); errors.Is(err, recorder.ErrRecording) {
			return &TakenError{ByRecording, output, fmt.Errorf("%s: %w", path, err)}
		}
	}
	return nil
}

// magics are what the files of a trace begin with, by suffix.
var magics = map[string]uint64{"": format.DataMagic, format.IndexSuffix: format.IndexMagic, format.TimesSuffix: format.TimesMagic}

// foreign returns the name of a file in the place of a trace that is none of its files; "" if there is none.
func foreign(path string) string {
	for _, suffix := range slices.Backward(tracefile.Suffixes) { // the data first: that is the name that the user knows
		f, err := os.Open(path + suffix)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return path + suffix
		}
		var head [8]byte
		_, err = io.ReadFull(f, head[:])
		_ = f.Close() // it was only read
		if err != nil || binary.BigEndian.Uint64(head[:]) != magics[suffix] {
			return path + suffix
		}
	}
	return ""
}

// Claim makes the place of the trace, at path, that of this recording, just before its files are created: what is
// there goes aside, unless it is to be replaced. If it was claimed before, also by a process that was killed, Claim
// does nothing. restore puts back what went aside if the files could not be created.
func (f *Directory) Claim(path string) (restore func(), err error) {
	restore = func() {}
	claimed := filepath.Join(f.path, claimedName)
	if exists(claimed) {
		return restore, nil
	}
	if to := AsideName(path); !f.About.Replace {
		for _, path := range []string{path, to} { // they may have come since the recording began
			if other := foreign(path); other != "" {
				return restore, fmt.Errorf("%s: %w", other, fs.ErrExist)
			}
		}
		if exists(path) {
			if err := putAside(to, path); err != nil {
				return restore, tracefile.WriteError(path, err)
			}
			f.Aside = to
			restore = func() {
				f.Aside = ""
				_ = putAside(path, to) // if it fails, it is still at its other name
				_ = os.Remove(claimed)
			}
		}
	}
	return restore, os.WriteFile(claimed, nil, 0o600)
}

// putAside renames the files of a trace, and replaces those of the trace that is there. If this process is
// killed meanwhile, it can be repeated.
func putAside(to, from string) error {
	if exists(to) {
		for _, suffix := range slices.Backward(asideSuffixes) {
			if err := os.Remove(to + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	for _, suffix := range asideSuffixes {
		if err := os.Rename(from+suffix, to+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// keepSpool renames the packets so that they are not hidden, to the first name that is free, and returns their path.
func (f *Directory) keepSpool(output string) string { return keepBeside(f.Spool(), output, ".pftrace") }

// keepBeside gives a file a name beside a trace, the first that is free, and returns it; its own path if that is not
// possible.
func keepBeside(path, output, suffix string) string {
	to := output + suffix
	for n := 2; n < 1000; n++ {
		err := os.Link(path, to) // unlike Rename, Link never replaces a file
		if err == nil {
			return to
		}
		if !errors.Is(err, fs.ErrExist) {
			break
		}
		to = fmt.Sprintf("%s.%d%s", output, n, suffix)
	}
	return path
}
