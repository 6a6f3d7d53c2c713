package cli

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/convert/importer"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/recording"
)

// rawFiles returns what instrumented programs wrote: the raw files in a folder, or the one at
// path; nil if there are none.
func rawFiles(path string) []string {
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

// rawOutputPath returns where the trace of raw files goes by default: path without the suffixes that tracex
// appends, and with .bin.
func rawOutputPath(path, output string) (string, error) {
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Clean(path), format.RecordingSuffix), raw.Suffix)
	if name == filepath.Clean(path) || !strings.HasSuffix(name, ".bin") {
		name += ".bin"
	}
	return outputPath(path, name, output)
}

// convertingRaws is what a progress bar says.
const convertingRaws = "writing the trace"

// convertRaws makes a trace of raw files whose programs are gone, or are treated so, and of
// packets. If the raw files have no events, it makes none.
func (a *app) convertRaws(ctx context.Context, files []string, packets packetsAt, to *growingFiles, v format.Version) (made rawTrace, err error) {
	p := a.newProgress(convertingRaws)
	defer p.End()
	c, err := instrumented.New(to.writers(), instrumented.Options{Version: v, Programs: len(files) > 1, NotEmpty: true, Progress: p.Update})
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

// writers returns the files for a conversion. They are created when something is written.
func (g *growingFiles) writers() tracefile.Files {
	return tracefile.Files{Times: growingFile{g, 0}, Index: growingFile{g, 1}, Data: growingFile{g, 2}}
}

// growingFile is one of growingFiles, in the order of tracefile.Suffixes.
type growingFile struct {
	files *growingFiles
	at    int
}

func (g growingFile) Write(b []byte) (int, error) {
	if g.files.open == nil {
		if _, err := g.files.create(); err != nil {
			return 0, err
		}
		if g.files.begun != nil {
			if err := g.files.begun(); err != nil {
				return 0, err
			}
		}
	}
	if g.files.room != nil {
		g.files.room(len(b))
	}
	return g.files.open[g.at].Write(b)
}

// runRaws is the command convert for raw files.
func (v *convertCommand) runRaws(ctx context.Context, path string, files []string) error {
	output, err := rawOutputPath(path, v.output)
	if err != nil {
		return err
	}
	spool, done, err := v.spoolBeside(path)
	defer done()
	if err != nil {
		return err
	}
	r := recordCommand{app: v.app, output: output, force: v.force, split: v.split, version: v.version}
	if v.split {
		var all rawTrace
		if r.made, all, err = v.convertEach(ctx, output, files, spool, v.force, format.Version(v.version)); err != nil {
			return err
		}
		return r.tellConverted(ctx, &all, spool, recording.SpoolIn(path))
	}
	if err := r.checkFiles(); err != nil {
		return err
	}
	to := growingFiles{path: output, replace: v.force}
	made, err := v.convertRaws(ctx, files, packetsAt{path: spool}, &to, format.Version(v.version))
	if err != nil {
		return to.writeError(err)
	}
	return r.tellConverted(ctx, &made, spool, recording.SpoolIn(path))
}

// tellConverted says what was made of raw files, and of the packets in the file at spool, unless that
// is "". from is where these are kept. If the raw files have no events, it makes a trace of the packets.
func (r *recordCommand) tellConverted(ctx context.Context, made *rawTrace, spool, from string) error {
	if made.Events() == 0 {
		if spool != "" {
			r.tellLeftOut(made.Summary)
			if err := r.onlyPackets(ctx, nil, spool); !errors.Is(err, importer.ErrNoEvents) {
				return err
			}
		}
		return r.nothingRecorded(made.Summary)
	}
	r.tellRecorded(made)
	if made.lost != nil {
		return lostPackets(r.output, made.lost, from)
	}
	return made.damage
}

// nothingRecorded is the error for raw files without events.
func (r *recordCommand) nothingRecorded(s *instrumented.Summary) error {
	r.tellProblems(s)
	if err := lostEverything(s); err != nil {
		return err
	}
	return withHint(errors.New("no trace written: no recorded function was called"), "TRACEX_RECORD_OPTIONS, or --only and --skip, may have left out too many functions")
}

// lostEverything is the error for programs of which one could not record, or whose raw file
// is damaged; nil if there is none.
func lostEverything(s *instrumented.Summary) error {
	for _, p := range s.Processes {
		if why := lostReason(p); why != "" {
			return fmt.Errorf("no trace written: %s: %s", programOf(p), why)
		}
	}
	for _, p := range s.Processes {
		if p.Damaged > 0 {
			return fmt.Errorf("no trace written: no calls can be read in %s", p.Path)
		}
	}
	return nil
}
