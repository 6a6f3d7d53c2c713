package interop

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"tracex/format"
)

// releases are the releases of Lincheck that tracex is compared with. Each reads one
// version of the format and no other; together they cover all versions that
// tracex writes. The newest is last.
var releases = []*release{
	newRelease("3.6", format.V22),
	newRelease("3.7", format.V27),
}

// buildTries is how often Maven is run: a registry may fail temporarily.
const buildTries = 3

// driverDir has the Java driver around the real readers.
var driverDir = filepath.Join("..", "..", "testdata", "interop", "lincheck")

// release is a release of Lincheck, with a driver that is built and started at
// most once.
type release struct {
	name    string         // as in Maven Central
	version format.Version // of the files that it reads
	built   func() error
	running func() (*reference, error)
}

func newRelease(name string, version format.Version) *release {
	l := &release{name: name, version: version}
	l.built = sync.OnceValue(l.build)
	l.running = sync.OnceValues(l.start)
	return l
}

// String returns the version of the files, for subtests and benchmarks.
func (l *release) String() string { return fmt.Sprintf("version=%d", l.version) }

// target returns the directory in which Maven builds the release's driver.
func (l *release) target() string { return filepath.Join(driverDir, "target", l.name) }

func (l *release) start() (*reference, error) {
	cmd, err := l.command()
	if err != nil {
		return nil, err
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &reference{release: l, in: in, out: bufio.NewReader(out)}, nil
}

// command returns a command that runs the driver, building it first if necessary:
// with args a single command, otherwise a loop over standard input.
func (l *release) command(args ...string) (*exec.Cmd, error) {
	if err := l.built(); err != nil {
		return nil, err
	}
	classes := filepath.Join(l.target(), "classes") + string(os.PathListSeparator) + filepath.Join(l.target(), "lib", "*")
	// The real reader leaves temporary files: keep them in one directory.
	temporary := filepath.Join(l.target(), "tmp")
	if err := os.MkdirAll(temporary, 0o755); err != nil {
		return nil, err
	}
	options := []string{"-Dfile.encoding=UTF-8", "-Dline.separator=\n", "-Djava.io.tmpdir=" + temporary,
		"-cp", classes, "tracex.interop.Driver"}
	cmd := exec.Command("java", append(options, args...)...)
	cmd.Stderr = os.Stderr
	return cmd, nil
}

// build compiles the driver with Maven, which fetches the release, unless the
// release's directory was built from the current sources.
func (l *release) build() error {
	for _, tool := range []string{"java", "mvn"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("%s is set, but the comparison needs Java 17 and Maven: %w", interopVariable, err)
		}
	}
	sum, err := driverSum()
	if err != nil {
		return err
	}
	mark := filepath.Join(l.target(), "built-from")
	if made, err := os.ReadFile(mark); err == nil && string(made) == sum {
		return nil
	}
	var out []byte
	for range buildTries {
		mvn := exec.Command("mvn", "-q", "-B", "-Dlincheck.version="+l.name, "clean", "process-classes")
		mvn.Dir = driverDir
		if out, err = mvn.CombinedOutput(); err == nil {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("building the driver for Lincheck %s: %w\n%s", l.name, err, out)
	}
	return os.WriteFile(mark, []byte(sum), 0o644)
}

// driverSum returns a checksum over the sources of the driver.
func driverSum() (string, error) {
	sum := sha256.New()
	add := func(path string) error {
		b, err := os.ReadFile(path)
		fmt.Fprintf(sum, "%s %d\n%s", filepath.ToSlash(path), len(b), b)
		return err
	}
	err := filepath.WalkDir(filepath.Join(driverDir, "src"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		return add(path)
	})
	err = errors.Join(err, add(filepath.Join(driverDir, "pom.xml")))
	return fmt.Sprintf("%x", sum.Sum(nil)), err
}
