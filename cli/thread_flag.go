package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"tracex/lazy"
	"tracex/lazy/query/goroutines"
)

// threadUsage is the help of a threadFlag.
const threadUsage = "only thread N, as in \"# Thread N\", or goroutine gN"

// threadFlag is a flag for a thread, by its number, 3 or t3, or by that of its goroutine: g45.
type threadFlag struct {
	number    int64 // 0 if none is given
	goroutine bool
}

// Set is for the parser of flags.
func (f *threadFlag) Set(text string) (err error) {
	if f.number, f.goroutine = goroutines.Read(text); f.goroutine {
		return nil
	}
	if f.number, err = strconv.ParseInt(strings.TrimPrefix(text, "t"), 10, 32); err != nil {
		err = fmt.Errorf("%s is no thread, such as 3, or goroutine, such as g45", text)
	}
	return err
}

// Type is for the parser of flags.
func (f *threadFlag) Type() string { return "N" }

// String returns the value before the command line is read: none.
func (f *threadFlag) String() string { return "" }

// find returns the thread; nil if none is given.
func (f *threadFlag) find(ctx context.Context, r *lazy.LazyTraceReader) (*int32, error) {
	id := int32(f.number - 1)
	switch {
	case f.number == 0:
		return nil, nil
	case !f.goroutine:
		return &id, hasThread(r, id)
	}
	ids, err := goroutines.Threads(ctx, r.ThreadList(), f.number)
	switch {
	case err != nil:
		return nil, err
	case len(ids) == 0:
		return nil, withHint(fmt.Errorf("the trace has no goroutine %d", f.number), "tracex info --tree lists them")
	case len(ids) > 1:
		return nil, &usageError{fmt.Sprintf("%s have a goroutine %d", counted(int64(len(ids)), "thread"), f.number), fmt.Sprintf("--thread %d names one of them", int64(ids[0])+1)}
	}
	return &ids[0], nil
}
