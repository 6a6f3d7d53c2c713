package main

import "tracex/format"

// formatVersion is a flag's value: a version of the format that is written; 0: the
// flag was not given.
type formatVersion format.Version

// Set parses a version.
func (v *formatVersion) Set(text string) error {
	parsed, err := format.ParseVersion(text)
	*v = formatVersion(parsed)
	return err
}

// String is the number, "" if there is none.
func (v *formatVersion) String() string {
	if *v == 0 {
		return ""
	}
	return format.Version(*v).String()
}

// Type names the value in help.
func (v *formatVersion) Type() string { return "version" }
