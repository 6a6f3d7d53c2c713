package notes

import (
	"bytes"
	"maps"
	"testing"
)

// FuzzParse: no contents of a file make the reader panic; what it has read is the same after it
// was written, and no line is lost.
func FuzzParse(f *testing.F) {
	const head = `{"tracex":"notes","version":1,"trace":{"size":81920,"head":"5f2ab1c0","middle":"00c4d7e2"}}` + "\n"
	for _, text := range []string{
		"", head,
		head + `{"id":"mark-a","mark":"a","event":1204,"thread":2,"offset":88120,"time":"2026-11-23T04:30:00Z"}`,
		head + `{"id":"9f","note":"balance < 0","event":1204,"thread":2,"offset":88120,"author":"ada","color":[1, 2]}`,
		head + `{"id":"9f","note":"a thread","thread":1}` + "\n" + `{"id":"9f","note":"again","thread":1}`,
		head + `{"session":{"at":"@2+88120","line":12,"expanded":["@2","@2+9"],"x":1},"time":"2026-11-23T04:30:00Z"}`,
		head + `{"flag":1}` + "\n{\n" + head, head + "\xff", "{}",
	} {
		f.Add([]byte(text))
	}
	fits := func(f Fingerprint) (bool, error) { return f.Size != 1, nil }
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := parse(b, fits)
		if err != nil {
			return
		}
		if c.print == (Fingerprint{}) {
			if len(bytes.TrimSpace(b)) > 0 {
				t.Fatal("a file without a header is used")
			}
			return
		}
		text, err := c.encode()
		if err != nil {
			t.Fatalf("cannot be written: %v", err)
		}
		again, err := parse(text, fits)
		if err != nil {
			t.Fatalf("cannot be read again: %v\n%s", err, text)
		}
		if !maps.EqualFunc(c.items, again.items, same) || !c.session.equal(&again.session) || again.damaged != c.damaged || len(again.kept) != len(c.kept) {
			t.Errorf("read %+v, then %+v", c, again)
		}
		if rest, err := again.encode(); err != nil || !bytes.Equal(rest, text) {
			t.Errorf("written as %q, then as %q", text, rest)
		}
	})
}
