package format

// maxPathDepth bounds index paths within paths; a hostile file may have a path that refers to itself.
const maxPathDepth = 16

// maxPathSteps bounds the steps of a path with those of its index paths, which
// may fan out.
const maxPathSteps = 4096

// pathOf returns the access path of a code location and its id, which is negative if it has
// none. The path is nil if it is not in the Context.
func pathOf(c *Context, location int32) (*AccessPath, int32) {
	if location < 0 {
		return nil, -1
	}
	l := c.locations.get(location)
	if l == nil || l.Path < 0 {
		return nil, -1
	}
	return c.paths.get(l.Path), l.Path
}

// thisStep reports whether a step is omitted from the text.
func (c *Context) thisStep(s AccessStep) bool {
	switch s.Kind {
	case AccessVariable:
		e := c.variables.get(s.Ref)
		return e != nil && e.thisLike
	case AccessStaticField, AccessObjectField:
		e := c.fields.get(s.Ref)
		return e != nil && e.thisLike
	}
	return false
}

// visible returns how many steps of the path are shown, and the last of these.
func (c *Context) visible(p *AccessPath) (n int, last AccessStep) {
	for _, s := range p.Steps {
		if !c.thisStep(s) {
			n++
			last = s
		}
	}
	return n, last
}

// path appends an access path. With filtered set, an omitted step does not count as the next
// step of the one before it. The next step decides about dots.
func (w *textWriter) path(p *AccessPath, id int32, filtered bool) {
	budget := maxPathSteps
	w.steps(p, id, filtered, 0, &budget)
}

func (w *textWriter) steps(p *AccessPath, id int32, filtered bool, depth int, budget *int) {
	if p == nil {
		w.unknown("path", id)
		return
	}
	for i, s := range p.Steps {
		*budget--
		if *budget < 0 || depth > maxPathDepth || len(w.b) > w.limit {
			w.b = append(w.b, "…"...)
			return
		}
		if w.c.thisStep(s) {
			continue
		}
		dot := fieldNext(w.c, p.Steps[i+1:], filtered)
		switch s.Kind {
		case AccessVariable:
			w.variableName(s.Ref)
		case AccessStaticField:
			if e := w.c.fields.get(s.Ref); e != nil {
				w.className(e.ClassID)
				w.b = append(w.b, '.')
			}
			w.fieldName(s.Ref)
		case AccessObjectField:
			w.fieldName(s.Ref)
		case AccessElement:
			w.b = append(w.b, '[')
			w.int(int64(s.Ref))
			w.b = append(w.b, ']')
			dot = false
		case AccessNamedElement:
			w.b = append(w.b, '[')
			w.steps(w.c.paths.get(s.Ref), s.Ref, false, depth+1, budget)
			w.b = append(w.b, ']')
			dot = false
		}
		if dot {
			w.b = append(w.b, '.')
		}
	}
}

// fieldNext reports whether the first of the steps, or the first that is
// shown, is a field.
func fieldNext(c *Context, rest []AccessStep, filtered bool) bool {
	for _, s := range rest {
		if filtered && c.thisStep(s) {
			continue
		}
		return s.Kind == AccessStaticField || s.Kind == AccessObjectField
	}
	return false
}

// coveragePath reports whether a path names something that coverage instrumentation adds.
func coveragePath(c *Context, p *AccessPath, depth int, budget *int) bool {
	if p == nil || depth > maxPathDepth {
		return false
	}
	for _, s := range p.Steps {
		if *budget--; *budget < 0 {
			return false
		}
		switch s.Kind {
		case AccessVariable:
			if e := c.variables.get(s.Ref); e != nil && e.coveragePart && !e.thisLike {
				return true
			}
		case AccessStaticField, AccessObjectField:
			if e := c.fields.get(s.Ref); e != nil && e.coveragePart && !e.thisLike {
				return true
			}
		case AccessNamedElement:
			if coveragePath(c, c.paths.get(s.Ref), depth+1, budget) {
				return true
			}
		}
	}
	return false
}

// Coverage reports whether a point is an access that coverage instrumentation of the JVM added
// to the program. Folding omits it.
func (c *Context) Coverage(p *Point) bool {
	switch p.Class {
	case ClassVariableRead, ClassVariableWrite:
		e := c.variables.get(p.Ref)
		return e != nil && e.coverage
	case ClassFieldRead, ClassFieldWrite:
		e := c.fields.get(p.Ref)
		return e != nil && e.coverage
	case ClassArrayRead, ClassArrayWrite:
		path, _ := pathOf(c, p.Location)
		budget := maxPathSteps
		return coveragePath(c, path, 0, &budget)
	}
	return false
}

// MayFold reports whether folding may replace a call of this method, judging only by its name.
// It is false for most.
func (c *Context) MayFold(method int32) bool {
	e := c.methods.get(method)
	return e != nil && e.mayFold
}

// Bridge reports whether the name of a method is one that the Kotlin compiler gives to methods
// that lead on to another one.
func (c *Context) Bridge(method int32) bool {
	e := c.methods.get(method)
	return e != nil && e.bridge
}

// AppendLocationTexts appends everything that a code location adds to the texts of its points:
// access paths in all the ways they are written, and, with verbose, file and line. They are
// separated by NUL. ok is false if something is not in the Context yet.
func (c *Context) AppendLocationTexts(dst []byte, id int32, verbose bool) (text []byte, ok bool) {
	l := c.locations.get(id)
	if l == nil {
		return dst, false
	}
	w := textWriter{c: c, b: dst, limit: len(dst) + maxText}
	ok = true
	budget := maxPathSteps
	path := func(id int32) {
		if id < 0 || !ok {
			return
		}
		p := c.paths.get(id)
		if ok = p != nil && knows(c, p, 0, &budget); !ok {
			return
		}
		for _, filtered := range [...]bool{false, true} {
			w.path(p, id, filtered)
			w.b = append(w.b, 0)
		}
	}
	path(l.Path)
	for _, name := range l.ArgNames {
		path(name)
	}
	if l.File >= 0 {
		_, known := c.Text(l.File)
		ok = ok && known
	}
	if verbose {
		w.fileLine(id)
	}
	return w.b, ok
}

// knows reports whether everything that a path names is in the Context. It is false for a path
// that is cut in texts.
func knows(c *Context, p *AccessPath, depth int, budget *int) bool {
	if depth > maxPathDepth {
		return false
	}
	for _, s := range p.Steps {
		if *budget--; *budget < 0 {
			return false
		}
		switch s.Kind {
		case AccessVariable:
			if c.variables.get(s.Ref) == nil {
				return false
			}
		case AccessStaticField, AccessObjectField:
			f := c.fields.get(s.Ref)
			if f == nil || s.Kind == AccessStaticField && c.classes.get(f.ClassID) == nil {
				return false
			}
		case AccessNamedElement:
			if in := c.paths.get(s.Ref); in == nil || !knows(c, in, depth+1, budget) {
				return false
			}
		}
	}
	return true
}
