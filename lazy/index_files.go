package lazy

import (
	"context"
	"time"

	"tracex/lazy/internal/index"
	"tracex/lazy/internal/times"
)

// ErrIndexVersion: an index has another format version than its data.
var ErrIndexVersion = index.ErrVersion

// IndexError is a fault of an index, not of its data: it is missing, cut short, of
// another version, or does not match the data. Its Err has the details.
type IndexError = index.Error

// VerifyIndex compares every cell of an index with the data. file is its path, "" for
// the default name beside the data. It returns the number of cells. progress may be
// nil; it gets bytes of data. A fault of the index is an [*IndexError].
func VerifyIndex(ctx context.Context, data, file string, progress func(done, total int64)) (cells int64, err error) {
	return index.Verify(ctx, data, file, progress)
}

// RebuildIndex makes the index of a data file from the data only and stores it at path,
// "" for the default name beside the data. It replaces an existing file only once the
// index is complete. progress may be nil; it gets bytes of data. RebuildIndex refuses a
// recording without its end mark unless force is set; the index then ends with the last
// whole object.
func RebuildIndex(ctx context.Context, data, path string, force bool, progress func(done, total int64)) error {
	return index.Rebuild(ctx, data, path, force, progress)
}

// VerifyTimes compares every cell of a file of times with the data: that it belongs
// to the next object, that each call has a time, and that the times of its children
// are within it. file is its path, "" for the default name beside the data; if the
// file does not exist the error is [fs.ErrNotExist]. It returns the number of cells.
// progress may be nil; it gets bytes of data.
func VerifyTimes(ctx context.Context, data, file string, progress func(done, total int64)) (cells int64, err error) {
	return times.Verify(ctx, data, file, progress)
}

// WallKnown reports whether the moment when a recording began is one of a wall clock. Converters have
// recordings whose clock counts from something else, such as the start of the machine, begin after 1970.
func WallKnown(begin time.Time) bool { return begin.Year() >= firstRecordings }

// firstRecordings is a year before all recordings, and after the machines' starts.
const firstRecordings = 2000
