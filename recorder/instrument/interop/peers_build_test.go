package interop_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
)

// buildXgo builds xgo, and the program with it. xgo patches a copy of GOROOT, which it makes in the home directory.
func buildXgo(w *workshop) (program string, err error) {
	src, err := fetched(w.b, "github.com/xhd2015/xgo@"+xgoVersion)
	if err != nil {
		return "", err
	}
	// go install needs the proxy's list of the module's versions, which may be missing.
	xgo := filepath.Join(w.dir, "bin", "xgo")
	if err := w.command(src, "go", "build", "-o", xgo, "./cmd/xgo"); err != nil {
		return "", err
	}
	// The runtime is a module of its own, which the proxy does not have. The command has a copy.
	runtime := filepath.Join(src, "cmd", "xgo", "asset", "runtime_gen")
	if err := os.Rename(filepath.Join(runtime, "go.mod.txt"), filepath.Join(runtime, "go.mod")); err != nil {
		return "", err
	}
	const cache = "/tmp/xgo" // xgo's build cache, whatever TMPDIR and GOCACHE are
	if _, err := os.Lstat(cache); os.IsNotExist(err) {
		w.b.Cleanup(func() { os.RemoveAll(cache) })
	}
	mod := peersMod + "\nrequire github.com/xhd2015/xgo/runtime " + xgoVersion + "\n\nreplace github.com/xhd2015/xgo/runtime => " + runtime + "\n"
	return w.build("xgo", mod, map[string]string{"xgo.go": peersXgo}, xgo, "build", "--trap-all")
}

// buildOtel builds orchestrion and has it weave spans of OpenTelemetry's SDK.
func buildOtel(w *workshop) (program string, err error) {
	return w.orchestrion("otel", "go.opentelemetry.io/otel/sdk "+otelVersion, "", map[string]string{"otel.go": peersOtel, "orchestrion.yml": peersAspects})
}

// buildDatadog has orchestrion weave the spans of dd-trace-go.
func buildDatadog(w *workshop) (program string, err error) {
	return w.orchestrion("datadog", "github.com/DataDog/dd-trace-go/v2 "+ddTraceVersion, `import _ "github.com/DataDog/dd-trace-go/v2/ddtrace/tracer"`, map[string]string{})
}

// orchestrion builds the program with other files. tracer is the module that it requires, imports is what
// orchestrion reads aspects of.
func (w *workshop) orchestrion(name, tracer, imports string, files map[string]string) (program string, err error) {
	orchestrion := filepath.Join(w.dir, "bin", "orchestrion")
	if _, err := os.Stat(orchestrion); err != nil {
		if err := w.command(w.dir, "go", "install", "github.com/DataDog/orchestrion@"+orchestrionVersion); err != nil {
			return "", err
		}
	}
	files["orchestrion.tool.go"] = "//go:build tools\n\npackage main\n\nimport _ \"github.com/DataDog/orchestrion\"\n" + imports + "\n"
	mod := fmt.Sprintf("module peers\n\ngo 1.26\n\nrequire (\n\tgithub.com/DataDog/orchestrion %s\n\t%s\n)\n", orchestrionVersion, tracer)
	return w.build(name, mod, files, orchestrion, "go", "build")
}

// agent starts an agent for dd-trace-go, which counts the spans that arrive and drops them. The tracer's other
// services, such as telemetry, are off.
func (w *workshop) agent(bool) (env []string, end func() (float64, error), err error) {
	var traces atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/info" {
			http.NotFound(out, r) // as an old agent does: it gets all spans
			return
		}
		n, _ := strconv.Atoi(r.Header.Get("X-Datadog-Trace-Count"))
		traces.Add(int64(n))
		io.Copy(io.Discard, r.Body)
		io.WriteString(out, "{}")
	}))
	return []string{"DD_TRACE_AGENT_URL=" + s.URL, "DD_TRACE_STARTUP_LOGS=false", "DD_INSTRUMENTATION_TELEMETRY_ENABLED=false", "DD_REMOTE_CONFIGURATION_ENABLED=false"},
		func() (float64, error) {
			s.Close()
			return float64(traces.Load()), nil
		}, nil
}
