package filter_test

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/filter"
)

// TestTextFindsWhatSearchFinds: a bare text matches the events that the reader's search finds.
func TestTextFindsWhatSearchFinds(t *testing.T) {
	for _, name := range []string{"gson.stream.bin", "kotlin.v27.stream.bin", "threads.stream.bin", "allkinds.v27.dump.bin", "diff-gson.packedtrace"} {
		data := formattest.RecordedData(t, name)
		files := []string{name}
		if !strings.HasSuffix(name, "packedtrace") {
			files = append(files, name+".idx")
		}
		r, err := lazy.Open(formattest.Unpack(t, files...), lazy.Options{NoWrite: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		if err := r.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		c, points := filter.FactsOf(t, data)
		total := 0
		for _, text := range []string{"get", "Get", "toString(", "java.lang", "java", "string.", ".java:", ".kt:1", "threw", "new ", "null)", "(1", "builder.append(", "loop(", "a", "String.value", "core.", "é", "i = 3", "@1"} {
			e, err := filter.Parse(filter.Quote(text))
			if err != nil {
				t.Fatal(err)
			}
			f, err := e.Bind(filter.About{Context: c})
			if err != nil {
				t.Fatal(err)
			}
			var got []int32
			for _, x := range points {
				if f.Match(x) {
					got = append(got, x.Point.Event)
				}
			}
			want := searched(t, r, text)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s: %q matches %d events, the search finds %d", name, text, len(got), len(want))
			}
			total += len(want)
		}
		if total == 0 {
			t.Errorf("%s: nothing is found", name)
		}
	}
}

// searched returns the events that the reader's search finds in the raw view.
func searched(t *testing.T, r *lazy.LazyTraceReader, text string) (events []int32) {
	t.Helper()
	find := func(row []byte) (int, int) {
		i := bytes.Index(row, []byte(text))
		return i, i + len(text)
	}
	if text == strings.ToLower(text) {
		re := regexp.MustCompile("(?i)" + regexp.QuoteMeta(text))
		find = func(row []byte) (int, int) {
			if at := re.FindIndex(row); at != nil {
				return at[0], at[1]
			}
			return -1, -1
		}
	}
	err := r.Search(t.Context(), lazy.Search{Find: find}, func(f lazy.Found) {
		for _, h := range f.Hits {
			if h.Event >= 0 {
				events = append(events, h.Event)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return events
}
