//go:build unix

package cli

import (
	"hash/fnv"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Limits for the initialization of one package. Every start pays for it, including --version
// and the shell's completion.
const (
	initTime   = 2 * time.Millisecond // on a machine that runs calibrate in calibrated
	initBytes  = 512 << 10
	initAllocs = 2000
	ownBytes   = 16 << 10 // of a package of this module; a few compiled expressions take more
	ownAllocs  = 250
	calibrated = time.Millisecond
)

// Packages of this module that have other limits.
const (
	registered = "tracex/recorder/perfetto/messages" // generated: the library registers them
	tested     = "tracex/cli"                        // with its tests, which have expressions
)

// initLine is a line of GODEBUG=inittrace=1.
var initLine = regexp.MustCompile(`(?m)^init (\S+) @\S+ ms, (\S+) ms clock, (\d+) bytes, (\d+) allocs$`)

// initCost is the lowest cost of a package's initialization so far.
type initCost struct {
	clock         time.Duration
	bytes, allocs int
}

// TestStartUp: no linked package makes every start slow, and those of this module do next to nothing. On a busy machine a clock only gives
// an upper bound, so the program is started again until each package has been within its limit
// once. The limit grows with the time that the same machine takes for a fixed amount of work.
func TestStartUp(t *testing.T) {
	const starts = 60
	best := make(map[string]initCost)
	bound := initTime
	for range starts {
		bound = max(bound, initTime*calibrate()/calibrated)
		cmd, stderr, _ := command(t, "--version")
		startedOnce(t, cmd, stderr, best)
		if len(slow(best, bound)) == 0 {
			break
		}
	}
	if best["tracex/ui/internal/keys"].allocs == 0 {
		t.Fatalf("nothing is known of tracex/ui/internal/keys: %v", best)
	}
	for _, name := range slow(best, bound) {
		t.Errorf("%s: %v in the fastest of %d starts, expected %v at most", name, best[name].clock, starts, bound)
	}
	for name, c := range best {
		bytes, allocs := initBytes, initAllocs
		switch {
		case name == tested:
			bytes, allocs = 2*ownBytes, 2*ownAllocs
		case strings.HasPrefix(name, "tracex/") && name != registered:
			bytes, allocs = ownBytes, ownAllocs
		}
		if c.bytes > bytes || c.allocs > allocs {
			t.Errorf("%s: %d bytes in %d allocations before main begins", name, c.bytes, c.allocs)
		}
	}
}

// startedOnce starts the program and keeps the costs that are lower than before.
func startedOnce(t *testing.T, cmd *exec.Cmd, stderr interface{ String() string }, best map[string]initCost) {
	t.Helper()
	cmd.Env = append(cmd.Env, "GODEBUG=inittrace=1")
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	for _, m := range initLine.FindAllStringSubmatch(stderr.String(), -1) {
		if m[1] == "runtime" || strings.HasPrefix(m[1], "runtime/") {
			continue // the process itself, which is not the fault of an import
		}
		ms, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		c := initCost{clock: time.Duration(ms * float64(time.Millisecond))}
		c.bytes, _ = strconv.Atoi(m[3]) // the pattern has only digits
		c.allocs, _ = strconv.Atoi(m[4])
		if old, ok := best[m[1]]; ok {
			c = initCost{min(c.clock, old.clock), min(c.bytes, old.bytes), min(c.allocs, old.allocs)}
		}
		best[m[1]] = c
	}
}

// slow returns the packages that were never within the bound.
func slow(best map[string]initCost, bound time.Duration) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(best)), func(name string) bool { return best[name].clock <= bound })
}

// calibrate returns the shortest time that this machine takes for work that takes about a
// millisecond on a machine of 2020.
func calibrate() time.Duration {
	block := make([]byte, 1<<20)
	best := time.Hour
	for range 5 {
		start := time.Now()
		h := fnv.New32a()
		h.Write(block)
		block[0] = byte(h.Sum32())
		best = min(best, time.Since(start))
	}
	return best
}
