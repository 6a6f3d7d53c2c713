package format

// Where the texts of versions differ beside the values that they have.

// showsNamed reports whether an argument that has a name is shown with its value:
// one whose text says the whole of it.
func (v Version) showsNamed(k ValueKind) bool {
	if v >= V27 {
		return k > ValueUnit
	}
	return k >= ValueUnit
}

// classSuffix returns what the text of a class as a value ends with: suffix, or
// nothing before version 27, where recorders wrote it into the value.
func (v Version) classSuffix(suffix string) string {
	if v >= V27 {
		return suffix
	}
	return ""
}
