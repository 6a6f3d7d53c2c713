package service

import (
	"math"
	"os"

	"tracex/recorder/perfetto/messages"
)

func newOutput(c *messages.TraceConfig, file *os.File) *output {
	o := &output{
		file: file, period: millis(c.GetFileWritePeriodMs()), most: int64(min(c.GetMaxFileSizeBytes(), math.MaxInt64)),
		mode: c.GetWriteFlushMode(), sync: c.GetFflushPostWrite() == messages.TraceConfig_FFLUSH_ENABLED,
		due: make(chan struct{}, 1),
	}
	if o.period == 0 {
		o.period = defaultFilePeriod
	}
	o.period = max(o.period, minFilePeriod)
	return o
}

// flushes reports whether producers are asked to commit before each write.
func (o *output) flushes() bool {
	return o.mode == messages.TraceConfig_WRITE_FLUSH_ENABLED ||
		o.mode != messages.TraceConfig_WRITE_FLUSH_DISABLED && o.period > defaultFilePeriod
}

// busy reports whether the file is not yet complete.
func (o *output) busy() bool { return o != nil && !o.done }

// failed returns why the file ended the session; "" if it did not. o may be nil.
func (o *output) failed() string {
	if o == nil {
		return ""
	}
	return o.failure
}

// kick wakes up the goroutine.
func (o *output) kick() {
	select {
	case o.due <- struct{}{}:
	default: // it is already due
	}
}

// end has the goroutine write the rest and then tell the consumer.
func (o *output) end(why string, k *consumer) {
	if k != nil && o.answer == nil {
		o.answer = k.enabled.Take()
	}
	if !o.ending {
		o.ending, o.why = true, why
		o.kick()
	}
}
