// Package interop asks datasets with engines of others, and compares their answers with tracex's own: DuckDB and
// ClickHouse run each query of docs/fleet.md on the recorded traces, and a Spark cluster of two workers exports a folder
// of traces and asks them.
//
// The tests run if TRACEX_INTEROP=1, and need Java 17 and Python 3.10 with venv. They install the engines, of the
// versions in testdata/requirements.txt, in the user's cache.
package interop

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// interopVariable selects the tests.
const interopVariable = "TRACEX_INTEROP"

// python returns a Python that has the engines.
func python(t *testing.T) string {
	t.Helper()
	if os.Getenv(interopVariable) == "" {
		t.Skipf("set %s=1 to ask engines of others (needs Java 17 and Python)", interopVariable)
	}
	path, err := engines()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// engines installs the engines once.
var engines = sync.OnceValues(func() (string, error) {
	list, err := os.ReadFile(filepath.Join("testdata", "requirements.txt"))
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	hash := sha256.Sum256(list)
	dir := filepath.Join(cache, "tracex-interop", "engines-"+hex.EncodeToString(hash[:6]))
	bin, done := filepath.Join(dir, "bin", "python"), filepath.Join(dir, "complete")
	if _, err := os.Stat(done); err == nil {
		return bin, nil
	}
	for _, args := range [][]string{
		{"python3", "-m", "venv", "--clear", dir},
		{bin, "-m", "pip", "install", "-q", "--disable-pip-version-check", "-r", filepath.Join("testdata", "requirements.txt")},
	} {
		c := exec.Command(args[0], args[1:]...)
		c.Stdout, c.Stderr = os.Stderr, os.Stderr
		if err := c.Run(); err != nil {
			return "", err
		}
	}
	return bin, os.WriteFile(done, nil, 0o600)
})

// page is the queries of docs/fleet.md.
type page struct {
	blocks map[string]string // what each block of SQL has, by the word after sql
	rows   [][3]string       // the table of differences: DuckDB, Spark, ClickHouse
}

// engineNames are the columns of the table of differences.
var engineNames = []string{"duckdb", "spark", "clickhouse"}

var (
	block = regexp.MustCompile("(?s)```sql (\\w+)\n(.*?)```")
	cells = regexp.MustCompile("(?m)^\\| `([^`]*)` \\| `([^`]*)` \\| `([^`]*)` \\|$")
)

// readPage reads the page.
func readPage(t *testing.T) (p page) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "fleet.md"))
	if err != nil {
		t.Fatal(err)
	}
	p.blocks = map[string]string{}
	for _, m := range block.FindAllStringSubmatch(string(b), -1) {
		if p.blocks[m[1]] != "" {
			t.Errorf("the page has two blocks called %s", m[1])
		}
		p.blocks[m[1]] = m[2]
	}
	for _, m := range cells.FindAllStringSubmatch(string(b), -1) {
		p.rows = append(p.rows, [3]string{m[1], m[2], m[3]})
	}
	if len(p.rows) < 2 || len(p.blocks) < 10 {
		t.Fatalf("the page has %d blocks and %d differences", len(p.blocks), len(p.rows))
	}
	return p
}

// views returns the statements that make the views of a dataset for an engine.
func (p page) views(engine, dir string) (list []string) {
	for statement := range strings.SplitSeq(strings.ReplaceAll(p.blocks[engine], "'fleet", "'"+dir), ";") {
		if statement = strings.TrimSpace(statement); statement != "" {
			list = append(list, statement)
		}
	}
	return list
}

// queries returns all queries for an engine, without a limit of rows.
func (p page) queries(engine string) map[string]string {
	all := map[string]string{}
	for name, text := range p.blocks {
		if slices.Contains(engineNames, name) {
			continue
		}
		for _, r := range p.rows {
			text = strings.ReplaceAll(text, r[0], r[slices.Index(engineNames, engine)])
		}
		all[name] = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(text), ";"), " LIMIT 30")
	}
	return all
}
