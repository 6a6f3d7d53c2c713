package trace

import (
	"testing"

	"tracex/format"
)

func TestDiffNames(t *testing.T) {
	info := func(file, agent, class string) *format.Info {
		n := &format.Info{Class: class, Method: "run", AgentArgs: agent}
		if file != "" {
			n.Properties = []format.Pair{{Key: "a", Value: "b"}, {Key: FileProperty, Value: file}}
		}
		return n
	}
	for _, c := range []struct {
		a, b   *format.Info
		as, bs string
	}{
		{nil, nil, "", ""},
		{info("old.bin", "output=x/o.bin", "A"), info("new.bin", "output=n.bin", "B"), "old.bin", "new.bin"},
		{info("same.bin", "class=A,output=x/o.bin,pack=true", "A"), info("same.bin", `output=c:\n.bin`, "B"), "o.bin", "n.bin"},
		{info("", "output=o.bin", "A"), info("", "output=o.bin", "B"), "A.run", "B.run"},
		{info("", "", "A"), nil, "", ""},
		{info("", "", "A"), info("", "", "A"), "", ""},
	} {
		d := DiffInfo{c.a, c.b}
		if a, b := d.Names(); a != c.as || b != c.bs {
			t.Errorf("%+v: %q and %q", c, a, b)
		}
	}
}
