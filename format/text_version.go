package format

// Differences between the texts of versions, other than those of their values.

// showsNamed reports whether a named argument is shown with its value: if the text of the
// value is complete.
func (v Version) showsNamed(k ValueKind) bool {
	if v >= V27 {
		return k > ValueUnit
	}
	return k >= ValueUnit
}

// classSuffix returns the end of the text of a class as a value: suffix, or nothing before
// version 27, where recorders wrote it into the value.
func (v Version) classSuffix(suffix string) string {
	if v >= V27 {
		return suffix
	}
	return ""
}
