package cli

import (
	"errors"
	"io/fs"
	"syscall"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/lazy"
	"tracex/recorder/convert/perfetto"
)

// hints are the advice for errors of lower packages, which do not know commands. The first
// matching row counts, so the more specific errors come first.
var hints = []struct {
	err  error
	hint string
}{
	{lazy.ErrNotRegular, "copy it to a file first, or pipe it to tracex print -"},
	{tracefile.ErrDirectory, "name a file in it"},
	{tracefile.ErrNotRegular, "name another file"},
	{fs.ErrExist, "--force replaces it; or name another file"},
	{perfetto.ErrGzip, "gzip -dc FILE | tracex convert -o OUT -"},
	{perfetto.ErrZstd, "zstd -dc FILE | tracex convert -o OUT -"},
	{perfetto.ErrTrace, "tracex opens it as it is; tracex convert --to changes its format version"},
	{perfetto.ErrNotPerfetto, "convert reads the files that perfetto -o writes"},
	{format.ErrZIP, "a packed trace contains its index; tracex unpack unpacks it"},
	{format.ErrPackets, "tracex convert FILE makes a trace from a Perfetto recording"},
	{format.ErrNotPacked, "tracex pack writes packed traces; so does Lincheck with pack=true"},
	{syscall.ENOSPC, "free some disk space, or write to another disk"},
	{fs.ErrPermission, "check the permissions of the file and its directory"},
}

// hintOf returns the advice for err, or "": that of the command that failed, that of the error
// itself, or that of the table.
func hintOf(err error) string {
	var h *hinted
	if errors.As(err, &h) {
		return h.hint
	}
	var usage *usageError
	if errors.As(err, &usage) {
		return usage.hint
	}
	if hint := format.Hint(err); hint != "" {
		return hint
	}
	for _, row := range hints {
		if errors.Is(err, row.err) {
			return row.hint
		}
	}
	return ""
}
