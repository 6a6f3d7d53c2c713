package chrome_test

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"testing"

	"tracex/format/tracefile"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/chrome"
	"tracex/recorder/convert/sources"
)

// generated is a trace of about a size, as a tool writes it, which is made while it is read. Calls come
// in the order of their ends.
type generated struct {
	size, made int64
	tool       string
	n          int64
	buf        []byte
	at         int
	ended      bool
}

func (g *generated) Read(b []byte) (int, error) {
	for g.at == len(g.buf) {
		if g.ended {
			return 0, io.EOF
		}
		g.buf, g.at = g.buf[:0], 0
		g.more()
	}
	n := copy(b, g.buf[g.at:])
	g.at += n
	return n, nil
}

func (g *generated) more() {
	if g.n == 0 {
		g.buf = append(g.buf, `{"traceEvents":[`...)
	}
	for range 1000 {
		g.event()
	}
	g.buf = append(g.buf, '\n')
	if g.made += int64(len(g.buf)); g.made >= g.size {
		g.buf = append(g.buf, `{"ph":"M","pid":1,"tid":1,"name":"process_name","args":{"name":"python"}}],"displayTimeUnit":"ms"}`...)
		g.ended = true
	}
}

// event writes the next call: of each eight, the last contains the seven before it.
func (g *generated) event() {
	k, thread := g.n%8, g.n/8%4
	start, took := g.n/8*1000+k*100, int64(90)
	if k == 7 {
		start, took = g.n/8*1000, 900
	}
	decimal := func(n int64) {
		g.buf = strconv.AppendInt(g.buf, n/10, 10)
		g.buf = append(g.buf, '.', byte('0'+n%10))
	}
	text := func(s string) { g.buf = append(g.buf, s...) }
	number := func(n int64) { g.buf = strconv.AppendInt(g.buf, n, 10) }
	switch g.tool {
	case "viztracer":
		text(`{"pid":17660,"tid":`)
		number(17660 + thread)
		text(`,"ts":`)
		decimal(start + 21300518600000)
		text(`,"ph":"X","cat":"fee","dur":`)
		decimal(took)
		text(`,"name":"Handler.process`)
		number(g.n % 97)
		text(` (/home/me/project/handler.py:`)
		number(g.n % 97)
		text(`)","args":{"func_args":{"self":"<__main__.Handler object at 0x7fca81bae590>","n":"`)
		number(g.n)
		text(`"},"return_value":"`)
		number(g.n % 1000)
		text("\"}},")
	case "pytorch":
		text("\n  {\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::op")
		number(g.n % 97)
		text("\", \"pid\": 4711, \"tid\": ")
		number(4711 + thread)
		text(",\n    \"ts\": ")
		decimal(start + 26049310000)
		text(", \"dur\": ")
		decimal(took)
		text(",\n    \"args\": {\n      \"External id\": ")
		number(g.n)
		text(`, "Sequence number": 12, "Fwd thread id": 0, "Record function id": 0, "Input Dims": [[8, 16], [4, 16], []], "Input type": ["float", "float", ""], "Ev Idx": `)
		number(g.n)
		text("\n    }\n  },")
	default:
		text(`{"name":"run`)
		number(g.n % 97)
		text(`","cat":"app","ph":"X","ts":`)
		decimal(start)
		text(`,"dur":`)
		decimal(took)
		text(`,"pid":1,"tid":`)
		number(thread)
		text("},\n")
	}
	g.n++
}

// BenchmarkConvert converts generated traces: TRACEX_BENCH_CHROME=5000 makes them of so many MB.
func BenchmarkConvert(b *testing.B) {
	size := int64(64)
	if s := os.Getenv("TRACEX_BENCH_CHROME"); s != "" {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		size = n
	}
	for _, tool := range []string{"viztracer", "pytorch", "plain"} {
		b.Run(tool, func(b *testing.B) {
			var events, bytes int64
			cpu := cpuSeconds()
			for b.Loop() {
				g := &generated{size: size * 1e6, tool: tool}
				dir := b.TempDir()
				var files [3]*os.File
				for i := range files {
					f, err := os.Create(fmt.Sprintf("%s/%d", dir, i))
					if err != nil {
						b.Fatal(err)
					}
					files[i] = f
				}
				w := calltrace.New(tracefile.Files{Data: files[0], Index: files[1], Times: files[2]}, calltrace.Options{TempDir: dir})
				if err := chrome.Convert(b.Context(), sources.Input{Reader: g, Path: "generated"}, "", w); err != nil {
					b.Fatal(err)
				}
				s, err := w.Finish(b.Context())
				if err != nil || s.Events != g.n || len(s.LeftOut) > 0 {
					b.Fatal(s, err)
				}
				w.Discard()
				for _, f := range files {
					f.Close()
				}
				events, bytes = g.n, g.made
				b.SetBytes(g.made)
			}
			if cpu > 0 {
				b.ReportMetric(float64(bytes)*float64(b.N)/1e6/(cpuSeconds()-cpu), "MB/cpu-s")
			}
			b.ReportMetric(float64(events)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
			b.ReportMetric(peakMiB(), "MiB-peak")
		})
	}
}
