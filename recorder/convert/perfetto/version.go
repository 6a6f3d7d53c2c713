package perfetto

import (
	"fmt"

	"tracex/format"
	"tracex/recorder/internal/perfetto/calls"
)

// writable fails for a version that is not written; 0 says nothing.
func writable(v format.Version) error {
	if v == 0 || v == format.V22 || v == format.V27 {
		return nil
	}
	return fmt.Errorf("version %d of the format is not written: FormatVersion is 27, 22, or 0", v)
}

// version returns the version that the trace is written in, now that all is read:
// there are so many lines of slices, which are encoded already.
func (c *Converter) version(lines int) format.Version {
	all := c.recorded.list
	if c.options.FormatVersion != 0 || lines > 0 || len(all) == 0 {
		return c.dictionary.version
	}
	for _, r := range all {
		if r.version != all[0].version {
			return c.dictionary.version
		}
	}
	return all[0].version
}

// versionOf returns the version of the objects of a part; ok is false for one that is
// not known.
func versionOf(p *calls.Part) (v format.Version, ok bool) {
	switch p.Format {
	case 0:
		return format.V22, true
	case int(format.V22), int(format.V27):
		return format.Version(p.Format), true
	}
	return 0, false
}

// unquoted makes of a text without quotes what a version has for it: version 22 a kind
// of its own, later ones that of a number, which any text may be.
func unquoted(v *format.Value, to format.Version) {
	switch v.Kind {
	case format.ValueRawString:
		if to < format.V27 {
			return
		}
		if v.Kind = format.ValueBigDecimal; format.WholeNumber(v.Text) {
			v.Kind = format.ValueBigInteger
		}
	case format.ValueBigInteger, format.ValueBigDecimal:
		if to < format.V27 {
			v.Kind = format.ValueRawString
		}
	}
}
