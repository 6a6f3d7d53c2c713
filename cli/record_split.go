package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"tracex/format"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/instrument/raw"
)

// madeTrace is one of the traces of --split.
type madeTrace struct {
	path string
	rawTrace
}

// errSplit is why packets are not in a trace.
var errSplit = errors.New("--split makes traces of calls alone")

// convertEach makes a trace of each raw file. It returns the traces that have events, and what all files
// have. After an error these are those before.
func (a *app) convertEach(ctx context.Context, output string, files []string, force bool, v format.Version) (made []madeTrace, all rawTrace, err error) {
	all.Summary = new(instrumented.Summary)
	taken := make(map[string]bool)
	for _, f := range files {
		path := splitPath(output, f, taken)
		check := recordCommand{output: path, force: force}
		if err := check.checkFiles(); err != nil {
			return made, all, err
		}
		to := growingFiles{path: path, replace: force}
		s, err := a.convertRaws(ctx, []string{f}, "", &to, v)
		if err != nil {
			return made, all, to.writeError(err)
		}
		all.Add(s.Summary)
		if s.Events() > 0 {
			made = append(made, madeTrace{path, s})
		}
	}
	return made, all, nil
}

// splitPath returns where the trace of a raw file goes: trace-shop-4711.bin for trace.bin. A process that
// became another program has several files.
func splitPath(output, file string, taken map[string]bool) string {
	name, pid := "", ""
	if f, err := raw.Open(file); err == nil {
		name, pid = f.Head.Program(), strconv.FormatUint(f.Head.PID, 10)
		f.Close()
	} else {
		pid, _, _ = strings.Cut(filepath.Base(file), "-")
	}
	stem, isBin := strings.CutSuffix(output, ".bin")
	stem += "-" + plainName(name) + "-" + plainName(pid)
	path := stem
	for n := 2; taken[path]; n++ {
		path = stem + "-" + strconv.Itoa(n)
	}
	taken[path] = true
	if isBin {
		path += ".bin"
	}
	return path
}

// plainName returns a name of a program as a part of the name of a file.
func plainName(name string) string {
	const most = 60
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._", r) {
			return r
		}
		return '_'
	}, name)
	if name == "" {
		return "process"
	}
	return name[:min(len(name), most)]
}

// tellSplit says what is in the traces of --split.
func (r *recordCommand) tellSplit() {
	for _, m := range r.made {
		r.tellTrace(&m.rawTrace, m.path)
	}
}

// endSplit is end for --split: the traces are made when the programs have ended.
func (l *rawConversion) endSplit(ctx context.Context, spool string) (all rawTrace, err error) {
	l.Close()
	files := rawFiles(l.folder)
	if files == nil || !l.source.take(fromRaws) {
		return all, nil
	}
	r := l.split
	r.made, all, err = r.convertEach(ctx, r.output, files, r.force, format.Version(r.version))
	if err != nil && len(r.made) > 0 {
		r.tellSplit()
		err = fmt.Errorf("the trace of another process: %w", err)
	}
	if spool != "" && all.Events() > 0 {
		all.lost = errSplit
	}
	return all, err
}
