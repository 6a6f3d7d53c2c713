package fit_test

import (
	"math/rand"
	"strings"
	"testing"
	"unicode/utf8"

	"tracex/format"
	"tracex/recorder/convert/fit"
)

// TestText cuts texts of each width of character around the limit.
func TestText(t *testing.T) {
	for _, c := range []string{"a", "ä", "€", "😀", "\x00", "\xff", "aä€😀\x00"} {
		for _, size := range []int{0, 1, fit.SurelyFits, fit.MaxText - 3, fit.MaxText - 1, fit.MaxText, fit.MaxText + 1, 3 * fit.MaxText} {
			s := strings.Repeat(c, size/len(c)+1)[:size]
			got, cut := fit.Text(s)
			_, err := format.AppendUTF(nil, s)
			if cut != (err != nil) {
				t.Errorf("%d bytes of %q: cut is %v, the format says %v", size, c, cut, err)
			}
			encoded, err := format.AppendUTF(nil, got)
			switch {
			case err != nil:
				t.Errorf("%d bytes of %q: the rest does not fit: %v", size, c, err)
			case !cut && got != s:
				t.Errorf("%d bytes of %q were changed", size, c)
			case cut && (!strings.HasSuffix(got, "…") || len(encoded) < fit.MaxText-8):
				t.Errorf("%d bytes of %q were cut to %d", size, c, len(encoded))
			}
			b := []byte(s)
			if bytes, also := fit.Text(b); string(bytes) != got || also != cut || string(b) != s {
				t.Errorf("%d bytes of %q: bytes and string differ", size, c)
			}
		}
	}
}

func TestName(t *testing.T) {
	for _, name := range []string{"", "short", strings.Repeat("a", fit.MaxName), strings.Repeat("€", fit.MaxName), strings.Repeat("\x80", 3*fit.MaxName)} {
		got := fit.Name(name)
		if len(name) <= fit.MaxName && got != name {
			t.Errorf("%.10q was changed to %.10q", name, got)
		}
		if len(got) > fit.MaxName+len("…") || utf8.ValidString(name) && !utf8.ValidString(got) {
			t.Errorf("%.10q became %d bytes", name, len(got))
		}
	}
}

// TestMap compares a Map with one that keeps all: what was used lately is known, and never wrong.
func TestMap(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	const limit = 16
	m, all := fit.NewMap[int, int](limit), map[int]int{}
	var recent []int
	for range 10_000 {
		key := r.Intn(100)
		v, ok := m.Get(key)
		switch want, known := all[key]; {
		case ok && (!known || v != want):
			t.Fatalf("key %d is %d, want %d", key, v, want)
		case !ok && known && distinct(recent, key) < limit:
			t.Fatalf("key %d is forgotten, though few others came after it", key)
		}
		v = r.Int()
		m.Put(key, v)
		all[key] = v
		recent = append(recent, key)
	}
}

// distinct counts the different keys since the last one that equals key.
func distinct(recent []int, key int) int {
	seen := map[int]bool{}
	for i := len(recent) - 1; i >= 0 && recent[i] != key; i-- {
		seen[recent[i]] = true
	}
	return len(seen)
}

func TestDigest(t *testing.T) {
	seen := map[fit.Digest]string{}
	for _, s := range []string{"", "a", "b", "ab", "ba", "a\x00"} {
		d := fit.DigestOf([]byte(s))
		if other, ok := seen[d]; ok {
			t.Errorf("%q and %q have one digest", s, other)
		}
		if seen[d] = s; fit.DigestOf([]byte(s)) != d {
			t.Errorf("%q has two digests", s)
		}
	}
}

func TestUnquoted(t *testing.T) {
	for _, c := range []struct {
		text   string
		kind   format.ValueKind
		to     format.Version
		become format.ValueKind
	}{
		{"12", format.ValueRawString, format.V27, format.ValueBigInteger},
		{"a b", format.ValueRawString, format.V27, format.ValueBigDecimal},
		{"a b", format.ValueRawString, format.V22, format.ValueRawString},
		{"12", format.ValueBigInteger, format.V22, format.ValueRawString},
		{"1.5", format.ValueBigDecimal, format.V22, format.ValueRawString},
		{"1.5", format.ValueBigDecimal, format.V27, format.ValueBigDecimal},
		{"s", format.ValueString, format.V27, format.ValueString},
	} {
		v := format.Value{Kind: c.kind, Text: c.text}
		if fit.Unquoted(&v, c.to); v.Kind != c.become || v.Text != c.text {
			t.Errorf("%s %q in %s is %s %q", c.kind, c.text, c.to, v.Kind, v.Text)
		}
		if _, err := c.to.AppendValue(nil, &v); err != nil {
			t.Error(err)
		}
	}
}

// TestLines: offsets, ends of lines, lines that are cut, and one that the end of the text cuts short.
func TestLines(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	l := fit.NewLines(strings.NewReader("a\r\n\n"+long+"\nend"), 70_000)
	for i, want := range []struct {
		line      string
		at, after int64
		cut, part bool
	}{{"a", 0, 3, false, false}, {"", 3, 4, false, false}, {long[:70_000], 4, 100_005, true, false}, {"end", 100_005, 100_008, false, true}} {
		if !l.Next() || string(l.Line) != want.line || l.At != want.at || l.After != want.after || l.Cut != want.cut || l.Part != want.part {
			t.Errorf("line %d: %d bytes from %d to %d, cut %v, part %v", i, len(l.Line), l.At, l.After, l.Cut, l.Part)
		}
	}
	if l.Next() || l.Err != nil {
		t.Errorf("more than four lines, or %v", l.Err)
	}
}
