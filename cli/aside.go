package cli

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder"
	"tracex/recorder/recording"
)

// asideSuffixes are those of the files that go with a trace when a new recording takes its place. The data
// is last, so that it is never beside the files of another trace.
var asideSuffixes = []string{format.LiveSuffix, format.SumSuffix, format.NotesSuffix, format.TimesSuffix, format.IndexSuffix, ""}

// asideName returns where the trace at a path goes when a new recording takes its place: trace.old.bin for
// trace.bin.
func asideName(path string) string {
	stem, isBin := strings.CutSuffix(path, ".bin")
	if isBin {
		return stem + ".old.bin"
	}
	return path + ".old"
}

// checkAside checks that a new recording may take the place of what is at a path: only a trace goes aside, and
// only where another trace is, or nothing. A trace that its program is still recording stays.
func checkAside(output string) error {
	for _, path := range []string{output, asideName(output)} {
		if path != output && !exists(output) {
			return nil
		}
		if other := foreign(path); other != "" {
			what := other + " already exists"
			if path != output {
				what = "the trace at " + output + " would become " + path + ", but " + what
			}
			return &usageError{what + " and is no file of a trace", "--force replaces " + output + "; -o names another file"}
		}
		if err := recorder.CheckEnded(path); errors.Is(err, recorder.ErrRecording) {
			return withHint(fmt.Errorf("%s: %w", path, err), "-o names another file")
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

// claim makes the place of the trace free for this recording, just before its files are created: what is
// there goes aside, unless it is to be replaced. restore puts it back if they could not be created.
func claim(dir *recording.Directory, path string) (restore func(), err error) {
	restore = func() {}
	err = dir.Claim(func() error {
		if dir.About.Replace {
			return nil
		}
		to := asideName(path)
		for _, path := range []string{path, to} { // they may have come since the recording began
			if other := foreign(path); other != "" {
				return fmt.Errorf("%s: %w", other, fs.ErrExist)
			}
		}
		if !exists(path) {
			return nil
		}
		if err := putAside(to, path); err != nil {
			return tracefile.WriteError(path, err)
		}
		dir.Aside = to
		restore = func() {
			dir.Aside = ""
			_ = putAside(path, to) // if it fails, it is still at its other name
			_ = dir.Unclaim()
		}
		return nil
	})
	return restore, err
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
