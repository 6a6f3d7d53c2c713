package sources

import "slices"

// Named returns the source with a name; nil if there is none.
func Named(list []Source, name string) *Source {
	return first(list, func(s *Source) bool { return s.Name == name })
}

// OfFile returns the source of a file that begins with head; nil if it is of no source. head is
// unpacked.
func OfFile(list []Source, head []byte) *Source {
	return first(list, func(s *Source) bool { return s.Is != nil && s.Is(head) })
}

// OfFolder returns the source of a folder; nil if it is of no source.
func OfFolder(list []Source, path string) *Source {
	return first(list, func(s *Source) bool { return s.IsFolder != nil && s.IsFolder(path) })
}

// first returns the first source that is meant: the order of a list decides where several are.
func first(list []Source, is func(*Source) bool) *Source {
	for i := range list {
		if is(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

// Names returns the names of sources in alphabetical order.
func Names(list []Source) (names []string) {
	for i := range list {
		names = append(names, list[i].Name)
	}
	slices.Sort(names)
	return names
}
