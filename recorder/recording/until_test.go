package recording

import (
	"strings"
	"testing"

	"tracex/recorder/instrument/raw"
)

// TestUntilOption: what --until takes is what the program gets; anything else is refused, and the error says what.
func TestUntilOption(t *testing.T) {
	readable := strings.NewReplacer(string(rune(raw.UntilCondition)), "|", string(rune(raw.UntilPart)), ";", string(rune(raw.UntilBlank)), "_")
	for text, want := range map[string]string{
		"panic":                                  "panic",
		" shop.Refund ":                          "shop.Refund",
		"shop.Refund arg.amount>100":             "shop.Refund|aamount;>;100;100;4636737291354636288",
		"shop.Refund arg.1!=-2 and ret.err!=nil": "shop.Refund|a1;!;-2;-2;13835058055282163712|rerr;!;nil",
		`p.F ret="a b"`:                          "p.F|r1;=;a_b",
		"p.F arg.x<=0.5":                         "p.F|ax;l;0.5;;4602678819172646912",
		"p.F arg.d>=2ms":                         "p.F|ad;g;2ms;2000000;4701340746312056832",
		"p.F arg.x=1000000000000000000":          "p.F|ax;=;1000000000000000000;;4876203697187506176", // the program does not read such integers
		"p.F arg.x=null":                         "p.F|ax;=;nil",
		"p.F arg.x=NaN":                          "p.F|ax;=;NaN",
	} {
		got, err := untilOption(text)
		if got = readable.Replace(got); err != nil || got != want {
			t.Errorf("%q: %q, %v, expected %q", text, got, err, want)
		}
	}
	for text, says := range map[string]string{
		"": "is not a pattern", "p.F x=1": "is not a condition", "p.F arg=1": "which argument", "p.F arg.x==1": "put a text in quotes", "p.F arg.x=a*": "put a text in quotes",
		"p.F arg.x=5..9": "put a text in quotes", "p.F arg.x<true": "has no order", "p.F arg.p>nil": "has no order", "panic arg.x=1": "any panic", `p.F arg.x="a`: "is not a condition",
		"p.F arg.x=\"a\x1eb\"": "control character", "p.F and arg.x=1": "is not a condition",
	} {
		if got, err := untilOption(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %q, %v, expected an error with %q", text, got, err, says)
		}
	}
	c := Calls{Until: []string{"p.F arg.x=1"}, Sample: 0.01}
	if c.Check() == nil {
		t.Error("a condition is taken with a sample")
	}
}
