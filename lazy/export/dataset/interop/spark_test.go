//go:build unix

package interop

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
)

// sparkTraces is how many traces the cluster exports.
const sparkTraces = 54

// quick makes a JVM that does little use little time.
const quick = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

// cluster is a standalone Spark cluster of two workers on the loopback.
type cluster struct {
	python, spark string // the program, and the folder of Spark
	dir           string
	url           string
	workers       []*exec.Cmd
}

// startCluster starts a cluster, which ends with the test.
func startCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{python: python(t), dir: t.TempDir()}
	out, err := exec.Command(c.python, "-c", "import pyspark; print(pyspark.__path__[0])").Output()
	if err != nil {
		t.Fatal(err)
	}
	c.spark = strings.TrimSpace(string(out))
	m := c.start(t, "master", regexp.MustCompile(`Starting Spark master at (spark://\S+)`), "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
	c.url = m.found
	for i := range 2 {
		w := c.start(t, fmt.Sprint("worker", i), regexp.MustCompile(`Successfully registered with master`),
			"org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--cores", "1", "--memory", "900m", "--webui-port", "0", "--work-dir", filepath.Join(c.dir, fmt.Sprint("work", i)), c.url)
		c.workers = append(c.workers, w.cmd)
	}
	return c
}

// daemon is a process of Spark, and what it said when it was ready.
type daemon struct {
	cmd   *exec.Cmd
	found string
}

// start starts a daemon in a process group of its own, and waits until a line of its log matches.
func (c *cluster) start(t *testing.T, name string, ready *regexp.Regexp, args ...string) daemon {
	t.Helper()
	cmd := exec.Command(filepath.Join(c.spark, "bin", "spark-class"), args...)
	cmd.Env = c.env()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		kill(cmd)
		_ = cmd.Wait() // it was killed
	})
	var said bytes.Buffer
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		fmt.Fprintln(&said, lines.Text())
		if m := ready.FindStringSubmatch(lines.Text()); m != nil {
			go io.Copy(io.Discard, log)
			return daemon{cmd, m[len(m)-1]}
		}
	}
	t.Fatalf("%s ended:\n%s", name, said.Bytes())
	return daemon{}
}

// kill kills a process with those that it started.
func kill(c *exec.Cmd) { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }

func (c *cluster) env() []string {
	return append(os.Environ(), "SPARK_DAEMON_JAVA_OPTS="+quick, "SPARK_HOME="+c.spark, "SPARK_LOCAL_IP=127.0.0.1", "SPARK_DAEMON_MEMORY=256m", "PYSPARK_PYTHON="+c.python,
		"SPARK_LOCAL_DIRS="+c.dir, "SPARK_WORKER_DIR="+c.dir)
}

// submit runs examples/spark/job.py and returns its answers: the rows of each as objects.
func (c *cluster) submit(t *testing.T, tell func(), args ...string) map[string][]map[string]any {
	t.Helper()
	job := filepath.Join("..", "..", "..", "..", "examples", "spark", "job.py")
	conf := []string{"--master", c.url, "--driver-memory", "512m"}
	for _, s := range []string{
		"spark.executor.memory=512m", "spark.executor.cores=1", "spark.ui.enabled=false", "spark.driver.host=127.0.0.1", "spark.driver.bindAddress=127.0.0.1",
		"spark.sql.shuffle.partitions=2", "spark.ui.showConsoleProgress=false", "spark.sql.adaptive.enabled=false", "spark.sql.codegen.wholeStage=false", "spark.log.level=WARN",
		"spark.driver.extraJavaOptions=" + quick, "spark.executor.extraJavaOptions=" + quick,
	} {
		conf = append(conf, "--conf", s)
	}
	cmd := exec.Command(filepath.Join(c.spark, "bin", "spark-submit"), append(append(conf, job), args...)...)
	cmd.Env = c.env()
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	if tell != nil {
		tell()
	}
	if err := <-done; err != nil {
		t.Fatalf("the job failed: %v\n%s", err, log.Bytes())
	}
	all := map[string][]map[string]any{}
	for line := range bytes.Lines(out.Bytes()) {
		if line[0] != '{' {
			continue // a remark of Spark's scripts
		}
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		r := map[string]any{}
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		name := r["answer"].(string)
		all[name] = append(all[name], r)
	}
	return all
}

// buildTracex builds the program.
func buildTracex(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tracex")
	if out, err := exec.Command("go", "build", "-o", path, "tracex").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// output runs tracex.
func output(t *testing.T, tracex string, args ...string) *bytes.Buffer {
	t.Helper()
	var out, log bytes.Buffer
	c := exec.Command(tracex, args...)
	c.Stdout, c.Stderr = &out, &log
	if err := c.Run(); err != nil {
		t.Fatalf("tracex %q: %v\n%s", args, err, log.Bytes())
	}
	return &out
}

// packTraces makes packed traces of all shapes, and returns their paths.
func packTraces(t *testing.T, tracex string) (dir string, paths []string) {
	t.Helper()
	dir = t.TempDir()
	shapes := []formattest.Shape{formattest.Calls, formattest.Random, formattest.Goroutines}
	for i := range sparkTraces {
		spec := formattest.Spec{Shape: shapes[i%3], N: 300 + 40*i, Seed: uint64(i), Timed: i%2 == 0, Plain: true}
		path := filepath.Join(dir, fmt.Sprintf("run-%02d.packedtrace", i))
		output(t, tracex, "pack", formattest.File(t, spec), "-o", path)
		paths = append(paths, path)
	}
	return dir, paths
}

// TestSpark: a job on a cluster exports traces on its workers. Its answers are those of tracex for each trace, and those to
// the queries of the page what one goroutine finds out. If a worker is killed meanwhile, with what it runs, nothing
// is lost and nothing is there twice.
func TestSpark(t *testing.T) {
	python(t)
	tracex := buildTracex(t)
	traces, paths := packTraces(t, tracex)
	method := busiestMethod(t, tracex, paths)
	all, ids := readAll(t, paths)
	outer, inner := all.pair()
	field := all.field()
	c := startCluster(t)

	var sql strings.Builder
	for name, text := range about(readPage(t).queries("spark"), method, outer, inner, field) {
		fmt.Fprintf(&sql, "-- page-%s\n%s;\n", name, text)
	}
	more := filepath.Join(t.TempDir(), "more.sql")
	if err := os.WriteFile(more, []byte(sql.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	dataset := filepath.Join(t.TempDir(), "fleet")
	begun := time.Now()
	got := c.submit(t, nil, "--tracex", tracex, "--traces", traces, "--dataset", dataset, "--rows", "0", "--json", "--method", method, "--sql", more, "--flag=--label=build=1.2")
	fmt.Println("a job over", len(paths), "traces took", time.Since(begun).Round(time.Second))
	whole(t, got, len(paths))
	compareTop(t, tracex, paths, ids, got["top"])
	compareCalls(t, tracex, paths, ids, method, got["calls"])
	for name, want := range all.expected(method, outer, inner, field) {
		same(t, name, pageRows(name, got["page-"+name]), want)
	}

	killed := filepath.Join(t.TempDir(), "fleet")
	begun = time.Now()
	again := c.submit(t, func() {
		awaitTraces(t, killed, 10)
		kill(c.workers[0])
		n, _ := filepath.Glob(filepath.Join(killed, "trace=*"))
		fmt.Println("a worker was killed when", len(n), "traces were there")
	}, "--tracex", tracex, "--traces", traces, "--dataset", killed, "--export-only", "--json")
	fmt.Println("a job that lost a worker took", time.Since(begun).Round(time.Second))
	whole(t, again, len(paths))
	same(t, "whole", texts(again["whole"]), texts(got["whole"]))
	// One more export removes what the killed one left.
	output(t, tracex, "export", "parquet", "-o", killed, paths[0])
	for _, name := range formattest.Names(t, killed) {
		if !strings.HasPrefix(name, "trace=") {
			t.Errorf("%s is left", name)
		}
	}
}

// readAll reads traces, and returns their ids by path.
func readAll(t *testing.T, paths []string) (all *plainTrace, ids map[string]string) {
	t.Helper()
	all, ids = &plainTrace{}, map[string]string{}
	for _, path := range paths {
		r, err := lazy.Open(path, lazy.Options{NoWrite: true})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if err := r.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		one := readPlain(t, r)
		ids[path] = one.calls[0].trace
		all.calls, all.points = append(all.calls, one.calls...), append(all.points, one.points...)
	}
	return all, ids
}

// pageColumns are the columns of the queries of the page that are compared.
var pageColumns = map[string][]string{
	"calls":  {"trace", "event", "thread", "dur_ns", "self_ns", "arg1", "result", "exception", "caller"},
	"values": {"arg1", "n", "p99", "threw"}, "repeated": {"trace", "parent", "caller", "method", "line", "n", "took"},
	"within": {"trace", "event", "n"}, "exceptions": {"exception", "class", "method", "n", "in_traces"}, "thrown": {"class", "method", "line", "n"},
	"writes": {"trace", "event", "method", "owner_hash", "value"},
}

// pageRows returns the rows of a query of the page.
func pageRows(name string, list []map[string]any) (out rows) {
	for _, r := range list {
		var values []any
		for _, c := range pageColumns[name] {
			values = append(values, r[c])
		}
		out = append(out, row(values...))
	}
	return out
}

// awaitTraces waits until a dataset has some traces.
func awaitTraces(t *testing.T, dir string, n int) {
	t.Helper()
	for tries := 0; tries < 6000; tries++ {
		if list, _ := filepath.Glob(filepath.Join(dir, "trace=*", "_manifest.json")); len(list) >= n {
			return
		}
		time.Sleep(20 * time.Millisecond) // between looks
	}
	t.Error("no traces appear")
}

// whole checks that all rows of all traces are there once.
func whole(t *testing.T, got map[string][]map[string]any, traces int) {
	t.Helper()
	if len(got["whole"]) != traces {
		t.Errorf("%d traces, want %d", len(got["whole"]), traces)
	}
	for _, r := range got["whole"] {
		if r["calls"] != r["found"] || r["calls"] != r["distinct"] || r["calls"] == json.Number("0") {
			t.Errorf("%v", r)
		}
	}
}

// texts writes rows so that they can be compared.
func texts(list []map[string]any) (out rows) {
	for _, r := range list {
		b, _ := json.Marshal(r) // keys in order
		out = append(out, string(b))
	}
	return out
}

// compareTop compares the methods of each trace with tracex top.
func compareTop(t *testing.T, tracex string, paths []string, ids map[string]string, got []map[string]any) {
	t.Helper()
	var have, want rows
	for _, r := range got {
		self := r["self"]
		if self == nil {
			self = 0
		}
		have = append(have, row(r["trace"], r["class"], r["method"], r["parameters"], r["n"], self, r["threw"]))
	}
	for _, path := range paths {
		for _, r := range parseTop(t, output(t, tracex, "top", "--json", "-n", "0", path)) {
			want = append(want, row(ids[path], r.Class, r.shownName(), strings.Join(r.Types, ", "), r.Calls, r.Self, r.Threw))
		}
	}
	same(t, "top", have, want)
}

// busiestMethod returns the method that has the most calls in the first trace.
func busiestMethod(t *testing.T, tracex string, paths []string) string {
	t.Helper()
	list := parseTop(t, output(t, tracex, "top", "--json", "--sort", "calls", "-n", "1", paths[0]))
	return list[0].shownName()
}

// builder is a StringBuilder as rows show it.
var builder = regexp.MustCompile(`^StringBuilder@-?\d+\("(.*)"\)$`)

// asText makes a value of tracex calls the text that a dataset has: the type tells what is nothing, and what is a builder.
func asText(r map[string]any, member string) {
	v, ok := r[member].(string)
	if m := builder.FindStringSubmatch(v); m != nil {
		v = m[1]
		r[member] = v
	}
	if ok && (v == "" || v == "void" || v == "Unit" || v == format.UntrackedResult) {
		r[member] = nil // tracex leaves out an empty text of some kinds
	}
}

// compareCalls compares the calls of a method in each trace with tracex calls.
func compareCalls(t *testing.T, tracex string, paths []string, ids map[string]string, method string, got []map[string]any) {
	t.Helper()
	var have, want rows
	for _, r := range got {
		asText(r, "arg1")
		asText(r, "result")
		have = append(have, row(r["trace"], r["event"], r["thread"], r["dur_ns"], r["self_ns"], r["arg1"], r["result"], r["exception"]))
	}
	for _, path := range paths {
		c := exec.Command(tracex, "calls", "--json", "-n", "0", path, method)
		out, err := c.Output()
		if err != nil && !bytes.Contains(out, []byte("{")) {
			continue // the trace has no such method
		}
		for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
			d.UseNumber()
			r := map[string]any{}
			if err := d.Decode(&r); err != nil {
				t.Fatal(err)
			}
			var threw any
			if r["threw"] == true {
				threw = r["exception"]
			}
			asText(r, "result")
			asText(r, "arg_1")
			want = append(want, row(ids[path], r["event"], r["thread"], r["duration"], r["self"], r["arg_1"], r["result"], threw))
		}
	}
	if len(want) < 50 {
		t.Errorf("only %d calls of %s", len(want), method)
	}
	same(t, "calls of "+method, have, want)
}
