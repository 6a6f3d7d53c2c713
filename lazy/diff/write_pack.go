package diff

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"slices"
	"time"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/lazy"
)

// packed returns the contents of a packed diff but its files: it was made from begin until now.
func packed(in input, done *outcome, begin time.Time) format.PackInput {
	own := format.Info{Start: begin.UnixMilli(), End: time.Now().UnixMilli()}
	if done.version.CountsPoints() {
		own.Points = &done.points
	}
	return format.PackInput{
		Info: done.version.CompleteInfo(own.Append(nil)),
		Diff: &format.PackDiff{
			LeftInfo:  infoOf(in.sides[0], done.version),
			RightInfo: infoOf(in.sides[1], done.version),
			ThreadMap: bytes.NewReader(format.AppendThreadMap(nil, done.threads)),
		},
	}
}

// infoOf returns what a trace records about its run, and the name of its file, for a diff of a version. A trace that is not
// packed records nothing.
func infoOf(r *lazy.LazyTraceReader, v format.Version) []byte {
	var info format.Info
	if recorded := r.Info(); recorded != nil {
		info = *recorded
	}
	info.Properties = append(slices.Clip(info.Properties), format.Pair{Key: lazy.FileProperty, Value: filepath.Base(r.Path())})
	return v.CompleteInfo(info.Append(nil))
}

// packTo packs into a file that takes its place once it is complete.
func packTo(ctx context.Context, path string, contents format.PackInput, o PackOptions) error {
	f, err := tracefile.Create(path, o.Mode, o.Replace)
	if err != nil {
		return err
	}
	defer f.Discard()
	if err := format.Pack(&untilDone{ctx, f}, contents, o.Level, nil); err != nil {
		return f.WriteError(err)
	}
	return f.Commit()
}

// untilDone fails writes once a context is done.
type untilDone struct {
	ctx context.Context
	w   io.Writer
}

func (u *untilDone) Write(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.w.Write(b)
}
