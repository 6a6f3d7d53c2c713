package perfetto

import (
	"fmt"

	"tracex/format"
	"tracex/recorder/internal/perfetto/calls"
)

// writable fails for a version that cannot be written; 0 is valid.
func writable(v format.Version) error {
	if v == 0 || v == format.V22 || v == format.V27 {
		return nil
	}
	return fmt.Errorf("version %d of the format is not written: FormatVersion is 27, 22, or 0", v)
}

// version returns the version in which to write the trace, after all packets were
// read. timelines is the number of timelines of slices, which are encoded already.
func (c *Converter) version(timelines int) format.Version {
	all := c.recorded.list
	if c.options.FormatVersion != 0 || timelines > 0 || len(all) == 0 {
		return c.dictionary.Version
	}
	for _, r := range all {
		if r.version != all[0].version {
			return c.dictionary.Version
		}
	}
	return all[0].version
}

// versionOf returns the version of the objects of a part; ok is false if it is
// unknown.
func versionOf(p *calls.Part) (v format.Version, ok bool) {
	switch p.Format {
	case 0:
		return format.V22, true
	case int(format.V22), int(format.V27):
		return format.Version(p.Format), true
	}
	return 0, false
}
