package recording

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"tracex/recorder/convert/importer"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/instrument/raw"
)

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

// convertingRaws is what a progress bar says.
const convertingRaws = "writing the trace"

// convertRaws makes a trace of raw files whose programs are gone, or are treated so, and of
// packets. If the raw files have no events, it makes none.
func (m *maker) convertRaws(ctx context.Context, files []string, packets packetsAt, to *growingFiles) (made rawTrace, err error) {
	p := m.Listener.Begin(convertingRaws)
	defer p.End()
	c, err := instrumented.New(to.writers(), instrumented.Options{Version: m.Version, Programs: len(files) > 1, NotEmpty: true, Progress: p.Update})
	if err != nil {
		return made, err
	}
	for _, f := range files {
		c.Add(f)
		c.Ended(f)
	}
	err = made.finish(ctx, c, nil, packets)
	return made, errors.Join(err, to.end())
}

// ConvertRaws makes the trace of the raw files in a folder, or of the one at path, and of the packets in the folder, or,
// with Split, the trace of each process. Errors besides others: [*NothingError], [*LostPacketsError], [*KeptError],
// [*TakenError].
func ConvertRaws(ctx context.Context, path string, files []string, o Options) error {
	m := maker{Options: o}
	spool, done, err := m.spoolBeside(path)
	defer done()
	if err != nil {
		return err
	}
	var made rawTrace
	if m.Split {
		if m.traces, made, err = m.convertEach(ctx, files, spool); err != nil {
			return err
		}
	} else {
		if err := m.checkFiles(); err != nil {
			return err
		}
		to := growingFiles{path: m.Output, replace: m.Replace}
		if made, err = m.convertRaws(ctx, files, packetsAt{path: spool}, &to); err != nil {
			return to.writeError(err)
		}
	}
	if made.Events() > 0 {
		if m.tellRecorded(&made); made.lost != nil {
			return &LostPacketsError{m.Output, SpoolIn(path), made.lost}
		}
		return made.damage
	}
	if spool != "" {
		m.Listener.LeftOut(made.Summary)
		if err := m.onlyPackets(ctx, spool); !errors.Is(err, importer.ErrNoEvents) {
			return err
		}
	}
	return &NothingError{Summary: made.Summary}
}
