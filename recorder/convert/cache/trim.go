package cache

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tracex/format"
	"tracex/format/filelock"
	"tracex/recorder/internal/disk"
)

// Trim removes entries until all together have at most limit bytes: those first that were not
// used for the longest time. It also removes what killed processes have left. Entries in use stay. limit gets the
// bytes of all entries.
func (c *Cache) Trim(limit func(used int64) int64) error {
	list, err := os.ReadDir(c.dir)
	if err != nil {
		return err
	}
	var all []stored
	used := int64(0)
	for _, d := range list {
		if !d.IsDir() || !isName(d.Name()) { // not ours
			continue
		}
		if s, ok := measure(filepath.Join(c.dir, d.Name())); ok {
			all = append(all, s)
			used += s.size
		}
	}
	slices.SortFunc(all, func(a, b stored) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.dir, b.dir)) })
	most := limit(used)
	for _, s := range all {
		if s.whole && used <= most {
			continue
		}
		if removed(s.dir, s.whole) {
			used -= s.size
		}
	}
	return nil
}

// mostKept bounds the bytes of a cache.
const mostKept = 20 << 30

// Limit is how many bytes entries may take that now take used: a tenth of what would be free without them.
func (c *Cache) Limit(used int64) int64 {
	free, known := disk.Free(c.dir)
	if !known {
		return mostKept
	}
	return min(mostKept, (free+used)/10)
}

// stored is what an entry takes.
type stored struct {
	dir   string
	size  int64 // bytes of its files
	used  time.Time
	whole bool
}

// measure returns what an entry takes. Those that hold nothing but notes are not ok.
func measure(dir string) (s stored, ok bool) {
	s.dir = dir
	files, err := os.ReadDir(dir)
	if err != nil {
		return s, false
	}
	notes := false
	for _, f := range files {
		st, err := f.Info()
		if err != nil {
			continue // removed meanwhile
		}
		switch name := f.Name(); {
		case strings.HasSuffix(name, format.NotesSuffix):
			notes = true
			continue
		case name == lockName:
			s.used = st.ModTime()
		case name == aboutName:
			s.whole = true
		}
		s.size += st.Size()
	}
	return s, s.whole || s.size > 0 || !notes
}

// removed removes an entry, unless it is in use. whole is what it was when it was measured.
func removed(dir string, whole bool) bool {
	lock, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return false
	}
	defer lock.Close()
	e := &Entry{dir: dir, lock: lock}
	if e.locked(filelock.Lock) != nil || e.whole() != whole {
		return false
	}
	return e.remove() == nil
}
