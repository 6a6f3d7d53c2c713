package gonames

// Namer gives packages names, one after the other: those that it has learned, or else a package's own name if that is
// free, or the shortest end of its path that is. A Namer of the zero value is ready for use.
type Namer struct {
	// Note, if not nil, is called for each name that is not the path.
	Note func(name, path string)

	names map[string]string // by path
	told  map[string]string // by path
	paths map[string]string // by name, of the above
}

// Learn takes the name that a build gave a package.
func (n *Namer) Learn(path, name string) {
	if n.told[path] == "" {
		put(&n.told, path, name)
	}
	if n.paths[name] == "" {
		put(&n.paths, name, path)
	}
}

func put(m *map[string]string, key, value string) {
	if *m == nil {
		*m = map[string]string{}
	}
	(*m)[key] = value
}

// Name returns the name of a package, which calls itself own unless a build has said more.
func (n *Namer) Name(path, own string) string {
	if name := n.names[path]; name != "" {
		return name
	}
	name, free := n.told[path], false
	if name == "" {
		name = own
	}
	if free = n.free(name, path); !free {
		for name = range (Package{Path: path, Name: own}).Ends() {
			if free = n.free(name, path); free {
				break
			}
		}
	}
	for ; !free; free = n.free(name, path) {
		name += "'"
	}
	put(&n.names, path, name)
	put(&n.paths, name, path)
	if name != path && n.Note != nil {
		n.Note(name, path)
	}
	return name
}

// Len returns how many packages have a name.
func (n *Namer) Len() int { return len(n.names) }

// free reports whether no other package has a name.
func (n *Namer) free(name, path string) bool { return n.paths[name] == "" || n.paths[name] == path }
