package cli

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"tracex/recorder/convert/cache"
)

// cacheVariable names another directory for the cache, or says that there is none: off.
const cacheVariable = "TRACEX_CACHE"

// cacheDir returns the directory for converted traces; "" if none are to be kept.
func cacheDir() string {
	switch dir := os.Getenv(cacheVariable); dir {
	case "":
	case "off":
		return ""
	default:
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "" // there is no home directory
	}
	return filepath.Join(dir, "tracex", "converted")
}

// convertKept returns the trace of a file in the cache, and makes it if it is not there. If nothing can be
// kept, it makes a temporary one.
func (m *importer) convertKept(ctx context.Context) (*input, error) {
	dir := cacheDir()
	if dir == "" {
		return m.convertTemporarily(ctx)
	}
	c, err := cache.Open(dir)
	if err != nil {
		if !isUnwritable(err) {
			m.remark("converted traces are not kept", err)
		}
		return m.convertTemporarily(ctx)
	}
	in, err := m.convertInto(ctx, c)
	switch {
	case err == nil:
		return in, nil
	case isUnwritable(err), errors.Is(err, errors.ErrUnsupported):
		return m.convertTemporarily(ctx)
	}
	if strings.Contains(message(err), dir) {
		err = withHint(err, "set "+cacheVariable+" to another directory for converted traces")
	}
	return nil, err
}

// convertInto is convertKept for a cache.
func (m *importer) convertInto(ctx context.Context, c *cache.Cache) (*input, error) {
	key, err := cache.KeyOf(m.from.path, converterVersion+m.app.from)
	if err != nil {
		return nil, err
	}
	for range 2 {
		entry, err := c.Take(ctx, key, func() { m.remark(printable(m.from.name), errors.New("another tracex is converting it: waiting")) })
		if err != nil {
			return nil, err
		}
		in := &input{name: m.from.name, made: &convertedTrace{entry: entry, fresh: !entry.Whole()}}
		if in.made.fresh {
			err = m.convertEntry(ctx, c, in.made)
		} else if !in.made.recall() { // what is there is not a trace: make it anew
			if err := entry.Drop(); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			in.close()
			return nil, err
		}
		in.path = entry.File(in.made.about.Data)
		return in, nil
	}
	return nil, errors.New("the cache of converted traces does not keep what is put there")
}

// recall reads what was kept about the trace, and reports whether it is there.
func (m *convertedTrace) recall() bool {
	if err := json.Unmarshal(m.entry.About(), &m.about); err != nil || m.about.Data != filepath.Base(m.about.Data) {
		return false
	}
	return exists(m.entry.File(m.about.Data))
}

// convertEntry makes the trace of a new entry, and then makes room in the cache.
func (m *importer) convertEntry(ctx context.Context, c *cache.Cache, made *convertedTrace) (err error) {
	if made.about, err = m.convertTo(ctx, filepath.Dir(made.entry.File("trace"))); err != nil {
		return err
	}
	b, err := json.Marshal(made.about)
	if err != nil {
		return err
	}
	if err := made.entry.Keep(b); err != nil {
		return err
	}
	if err := c.Trim(cacheLimit); err != nil {
		m.remark("old converted traces are not removed", err)
	}
	return nil
}

// mostCached bounds the bytes of converted traces that are kept.
const mostCached = 20 << 30

// cacheLimit is how many bytes converted traces may take that now take used: a tenth of what would be free
// without them.
func cacheLimit(used int64) int64 {
	free, known := freeSpace(cacheDir())
	if !known {
		return mostCached
	}
	return min(mostCached, (free+used)/10)
}
