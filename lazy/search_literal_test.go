package lazy

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/internal/trace"
	"tracex/lazy/internal/walk"
	"tracex/lazy/literal"
)

// namedHit is a point, or a thread, with all its texts.
type namedHit struct {
	Named
	Hit
}

// allNamed returns all rows of a trace, computed one by one from a walk over the tree.
func allNamed(tb testing.TB, r *LazyTraceReader, folded, verbose bool) (rows []namedHit) {
	tb.Helper()
	segments := segmentsFrom(r, Position{At: -1})
	begun := 0
	begin := func(upto int) {
		for ; begun < upto; begun++ {
			thread := segments[begun].Thread
			rows = append(rows, namedHit{Named{Text: trace.AppendThread(nil, r.r.Ctx, thread), At: -1}, Hit{Position: Position{Thread: thread, At: -1}, Event: -1}})
		}
	}
	eachPoint(tb, r, folded, segments, func(v *eachVisit) {
		begin(v.segment + 1)
		row := namedHit{Hit: Hit{Position: Position{Thread: v.thread, At: v.At}, Event: v.Point.Event}}
		row.Named = walk.NamedPoint(r.r.Ctx, &v.Point, v.ShownFooter(), v.parent, verbose)
		rows = append(rows, row)
	})
	begin(len(segments))
	return rows
}

// pattern is one of the things to search for.
type searched struct {
	what   string
	find   func([]byte) (int, int)
	needs  []literal.Text
	limits Limits
}

// searchedFor makes a pattern of a text. how chooses its kind.
func searchedFor(text string, how int) searched {
	if how%8 >= 4 {
		text = strings.ToValidUTF8(text, "") // an expression cannot have half a character
	}
	if text == "" {
		text = "a"
	}
	limits := func(of string) Limits {
		name, _, paren := strings.Cut(of, "(")
		return Limits{NoParen: !paren, NoDot: !strings.ContainsAny(of, ".:"), OneDot: strings.Count(name, ".") < 2, NoEquals: !strings.Contains(of, "=")}
	}
	word := regexp.QuoteMeta(text)
	expression := func(expr string, needs ...literal.Text) searched {
		return searched{what: expr, find: finds(expr), needs: needs}
	}
	switch how % 8 {
	case 0, 1:
		t := literal.Exact(text)
		return searched{text, func(b []byte) (int, int) { i := t.Index(b); return i, i + t.Len() }, []literal.Text{t}, limits(text)}
	case 2, 3:
		small := strings.Map(func(r rune) rune {
			if 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			}
			return r
		}, text)
		t := literal.Folded(small)
		return searched{"case of " + small, func(b []byte) (int, int) { i := t.Index(b); return i, i + t.Len() }, []literal.Text{t}, limits(small)}
	case 4:
		return expression(word+`\w*`, literal.Exact(text))
	case 5:
		half := len(text) / 2
		for !utf8.RuneStart(text[half]) {
			half--
		}
		return expression(regexp.QuoteMeta(text[:half])+`(.|\b)`+regexp.QuoteMeta(text[half:]), literal.Exact(text[half:]))
	case 6:
		return expression(`\W`+word+`|`+word+`$`, literal.Exact(text))
	}
	return expression(`^.*` + word)
}

// anyText returns a part of one of the texts of a row.
func anyText(rng *rand.Rand, row *namedHit) string {
	texts := [][]byte{row.Text, row.Text, row.Text, []byte(row.Location)}
	if row.Class > 0 {
		texts = append(texts, row.AppendCall(nil))
		if row.At >= 0 {
			texts = append(texts, row.AppendOther(nil))
			if row.Full != "" {
				texts = append(texts, row.AppendFull(nil))
			}
		}
	}
	text := texts[rng.IntN(len(texts))]
	if len(text) == 0 {
		return ""
	}
	from := rng.IntN(len(text))
	return string(text[from:min(len(text), from+1+rng.IntN(1+rng.IntN(40)))])
}

// checkSearched compares a search from anywhere with what the rows match one by one.
func checkSearched(t *testing.T, r *LazyTraceReader, rng *rand.Rand, rows []namedHit, s Search, p, other searched) (found int) {
	t.Helper()
	match := func(p searched) (hits []Hit) {
		for i := range rows {
			if rows[i].Match(p.find, p.limits) {
				hits = append(hits, rows[i].Hit)
			}
		}
		if len(rows) == 0 {
			return nil
		}
		s.From = rows[0].Position
		return hits
	}
	want, others := match(p), match(other)
	if len(rows) > 0 && rng.IntN(2) == 0 {
		if s.From = rows[rng.IntN(len(rows))].Position; s.From.At == 0 {
			s.From.At = -1 // the thread's own row comes first
		}
		for _, list := range []*[]Hit{&want, &others} {
			at, _ := slices.BinarySearchFunc(*list, s.From, func(h Hit, p Position) int { return comparePositions(h.Position, p) })
			*list = append(slices.Clone((*list)[at:]), (*list)[:at]...)
		}
	}
	s.Find, s.Limits, s.Needs = p.find, p.limits, p.needs
	s.Else, s.ElseLimits, s.ElseNeeds = other.find, other.limits, other.needs
	var got, gotOthers []Hit
	if err := r.Search(t.Context(), s, func(f Found) {
		got, gotOthers = append(got, f.Hits...), append(gotOthers, f.Else...)
	}); err != nil {
		t.Fatal(err)
	}
	about := fmt.Sprintf("%q (else %q), folded %v, verbose %v, from %+v", p.what, other.what, s.Folded, s.Verbose, s.From)
	if !slices.Equal(got, want) {
		t.Fatalf("%s: %d hits, want %d: %s", about, len(got), len(want), firstDifference(rows, got, want))
	}
	if len(want) == 0 && !slices.Equal(gotOthers, others) {
		t.Fatalf("%s: %d hits else, want %d: %s", about, len(gotOthers), len(others), firstDifference(rows, gotOthers, others))
	}
	return len(got)
}

func firstDifference(rows []namedHit, got, want []Hit) string {
	for i := range max(len(got), len(want)) {
		if i < len(got) && i < len(want) && got[i] == want[i] {
			continue
		}
		text := func(list []Hit) string {
			if i >= len(list) {
				return "none"
			}
			j := slices.IndexFunc(rows, func(row namedHit) bool { return row.Hit == list[i] })
			if j < 0 {
				return fmt.Sprint(list[i])
			}
			return fmt.Sprintf("%+v %q at %q", list[i], rows[j].Text, rows[j].Location)
		}
		return fmt.Sprintf("number %d is %s, want %s", i, text(got), text(want))
	}
	return ""
}

// TestSearchLiterals: searches that know what a match needs find the same as looking at each row
// by itself, whatever the text, wherever they begin, and however the trace is cut.
func TestSearchLiterals(t *testing.T) {
	check := func(t *testing.T, path string) {
		r := ready(t, path, Options{NoWrite: true})
		size, _ := r.Size()
		_, turn := formattest.Stride()
		rng := rand.New(rand.NewPCG(uint64(size), uint64(1+turn)))
		found := 0
		for view := range 4 {
			s := Search{Folded: view%2 == 0, Verbose: view >= 2}
			exhaustive := formattest.Exhaustive() && !formattest.Race
			if (size > 1<<20 || formattest.Race) && view%3 != 0 && !exhaustive {
				continue
			}
			rows := allNamed(t, r, s.Folded, s.Verbose)
			patterns := min(max(100_000/(len(rows)+1), 2), 10)
			switch {
			case exhaustive:
				patterns *= 2
			case formattest.Race:
				patterns = min(patterns, 3)
			}
			for i := range patterns {
				p := searchedFor(anyText(rng, &rows[rng.IntN(len(rows))]), rng.IntN(8))
				other := searchedFor(anyText(rng, &rows[rng.IntN(len(rows))]), rng.IntN(8))
				if i%3 == 1 {
					p.what, p.find, p.needs = "nothing", func([]byte) (int, int) { return -1, -1 }, []literal.Text{literal.Exact("\x00")}
				}
				cut := passCuts[rng.IntN(len(passCuts))]
				if cut.Bytes = max(cut.Bytes, size/mostShares); rng.IntN(4) == 0 {
					cut = walk.PassCut{}
				}
				s = walk.CutSearch(s, cut)
				found += checkSearched(t, r, rng, rows, s, p, other)
			}
		}
		if found == 0 {
			t.Error("nothing is found: the test shows nothing")
		}
	}
	corpus(t, check)
	n := 1000
	if formattest.Race {
		n = 300
	}
	for _, shape := range []formattest.Shape{formattest.Deep, formattest.Wide, formattest.WideLeaves, formattest.Threads, formattest.Calls} {
		for _, version := range []format.Version{format.V22, format.V27} {
			spec := formattest.Spec{Shape: shape, N: n, Seed: 5, Options: formattest.Options{Version: version, BlockSize: 3000}}
			t.Run(spec.Name(), func(t *testing.T) {
				t.Parallel()
				check(t, formattest.File(t, spec))
			})
		}
	}
	for _, version := range []format.Version{format.V22, format.V27} {
		spec := formattest.Spec{Shape: formattest.Random, N: 600, Seed: 11, Structs: true, Options: formattest.Options{Version: version, BlockSize: 3000}}
		t.Run(spec.Name(), func(t *testing.T) {
			t.Parallel()
			check(t, formattest.File(t, spec))
		})
	}
}

// FuzzSearchLiteral: a search for any text in any trace finds what the rows match.
func FuzzSearchLiteral(f *testing.F) {
	for i, text := range []string{"a", "get", "1", "loop(", "null", `\n`, "<iteration 1>", "x ➜ ", "é", "String", "@1", "(): ", " = -", "\xed\xa0"} {
		f.Add(uint64(i), text, i, i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, seed uint64, text string, how int, folded bool) {
		spec := formattest.Spec{Shape: formattest.Random, N: 150, Seed: seed % 64, Wild: seed%3 != 0, Structs: seed%5 == 4}
		spec.BlockSize = 1024
		if seed%2 == 0 {
			spec.Version = format.V27
		}
		r, err := openBytes(formattest.Bytes(t, spec))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		r.Wait(t.Context())
		rng := rand.New(rand.NewPCG(seed, 2))
		s := walk.CutSearch(Search{Folded: folded, Verbose: seed%5 == 0}, passCuts[seed%4])
		rows := allNamed(t, r, s.Folded, s.Verbose)
		if text == "" && len(rows) > 0 {
			text = anyText(rng, &rows[rng.IntN(len(rows))])
		}
		if bytes.ContainsRune([]byte(text), '\ufffd') {
			return
		}
		checkSearched(t, r, rng, rows, s, searchedFor(text, max(0, how)), searchedFor("e", 0))
	})
}

// segmentsFrom returns the segments of a search from a place on.
func segmentsFrom(r *LazyTraceReader, from Position) (list []walk.Segment) {
	o := walk.NewSearchOrder(r.r.Known.Load(), from)
	for i := range o.Len() {
		list = append(list, o.Segment(i))
	}
	return list
}
