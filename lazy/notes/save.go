package notes

import (
	"errors"
	"io/fs"
	"maps"
	"os"

	"tracex/format/tracefile"
)

// Save writes the changes since the last save into the file, together with what other programs
// have changed there. If it fails, nothing is lost in memory or on disk. Without a file it does
// nothing.
func (b *Book) Save() error {
	if b.path == "" {
		return nil
	}
	if b.refused != nil {
		return b.refused
	}
	b.saving.Lock()
	defer b.saving.Unlock()
	b.mu.Lock()
	mine, base, rest := b.mine.clone(), b.disk.clone(), b.rest
	b.mu.Unlock()

	theirs, err := read(b.path, b.trace)
	other := new(otherError)
	aside := false
	switch {
	case errors.Is(err, fs.ErrNotExist), // or no longer: all is written again
		errors.As(err, &other) && other.print == b.other:
		theirs, base = &contents{kept: rest.kept, foreign: rest.foreign, damaged: rest.damaged}, state{}
		aside = err == error(other) && !other.bare
	case err != nil:
		return err
	}
	merged := *theirs
	merged.items = merge(base.items, mine.items, theirs.items)
	if !mine.session.equal(&base.session) {
		merged.session = mine.session
	}
	if err := b.write(theirs, &merged, aside); err != nil {
		return err
	}
	b.written(mine, &merged)
	return nil
}

// write replaces the file by the merged contents, unless they are the same as theirs. With aside the file is moved
// before.
func (b *Book) write(theirs, merged *contents, aside bool) error {
	if maps.EqualFunc(theirs.items, merged.items, same) && theirs.session.equal(&merged.session) {
		return nil
	}
	if (merged.print == Fingerprint{}) {
		var err error
		if merged.print, err = Take(b.trace); err != nil {
			return err
		}
	}
	text, err := merged.encode()
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if st, err := os.Stat(b.path); err == nil {
		mode = st.Mode().Perm()
	}
	f, err := tracefile.Create(b.path, mode, true)
	if err != nil {
		return err
	}
	defer f.Discard()
	if _, err := f.Write(text); err != nil {
		return f.WriteError(err)
	}
	if aside {
		to := asideFor(b.path)
		if err := os.Rename(b.path, to); err != nil {
			return err
		}
		if err := f.Commit(); err != nil {
			return errors.Join(err, os.Rename(to, b.path))
		}
		b.mu.Lock()
		b.aside = false
		b.mu.Unlock()
		return nil
	}
	return f.Commit()
}

// written takes over what a save has written, except where it was changed since the save began
// with mine.
func (b *Book) written(mine state, merged *contents) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.mine
	b.mine = state{merge(mine.items, now.items, merged.items), merged.session}
	if !now.session.equal(&mine.session) {
		b.mine.session = now.session
	}
	b.disk = state{merged.items, merged.session}
	b.rest = *merged
}

// merge returns the items after two sides have changed a common base, each in its way. If both
// have changed an item, the later change wins; a change wins over a removal.
func merge(base, mine, theirs map[string]Item) map[string]Item {
	merged := make(map[string]Item, max(len(mine), len(theirs)))
	for id, it := range mine {
		was, had := base[id]
		other, there := theirs[id]
		switch {
		case !there && had && same(it, was):
			continue // they have removed it
		case !there, had && same(other, was):
			merged[id] = it
		case had && same(it, was):
			merged[id] = other
		default:
			merged[id] = later(it, other)
		}
	}
	for id, it := range theirs {
		if _, ours := mine[id]; ours {
			continue
		}
		if was, had := base[id]; !had || !same(it, was) {
			merged[id] = it // new, or changed since this side removed it
		}
	}
	return merged
}
