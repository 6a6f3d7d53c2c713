package uftrace

import (
	"path/filepath"
	"strings"
	"testing"
)

// FuzzRecords converts any bytes as the records of two threads.
func FuzzRecords(f *testing.F) {
	d := recordedDirectory(f)
	for _, name := range []string{"26952.dat", "27000.dat", "27073.dat"} {
		f.Add([]byte(d[name]), []byte(nil))
	}
	for _, s := range stories {
		f.Add(story(strings.TrimPrefix(s.records, "\n")), []byte(d["27000.dat"]))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		d := d.with("26952.dat", string(a))
		d["27073.dat"] = string(b)
		_, _, _ = d.converted(t) // which fails the test unless a trace is written
	})
}

// FuzzTexts converts a recording with any text files.
func FuzzTexts(f *testing.F) {
	d := recordedDirectory(f)
	maps, err := filepath.Glob(filepath.Join("testdata", "demo", "*.map"))
	if err != nil || len(maps) != 1 {
		f.Fatal(err, maps)
	}
	mapFile := filepath.Base(maps[0])
	f.Add(d[infoFile][:1500], d[tasksFile], d[mapFile], d["demo.sym"], d["demo.dbg"])
	f.Add(d[infoFile], d[tasksFile]+"DLOP timestamp=1889.080219991 tid=26952 sid=1acf0a18bf1ea2c6 base=0 libname=\"demo\"\n", "", "", "")
	for _, c := range rulesCases {
		f.Add(header(class64, 0, 70)+c.info+"\nargspec:fib@arg1/t3:x%stack+1;.@arg1/s,arg2/e:x", d[tasksFile], d[mapFile], d["demo.sym"], d["demo.dbg"])
	}
	f.Fuzz(func(t *testing.T, info, tasks, mapping, symbols, debug string) {
		d := d.with(infoFile, info)
		d[tasksFile], d[mapFile], d["demo.sym"], d["demo.dbg"] = tasks, mapping, symbols, debug
		_, _, _ = d.converted(t)
	})
}
