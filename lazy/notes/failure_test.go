package notes

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"tracex/lazy"
)

// TestFailure: what a note of a failure was made of is read from it again, also after it was saved.
func TestFailure(t *testing.T) {
	for name, f := range map[string]Failure{
		"usual":                   {Test: "TestPay/big", Output: "x_test.go:41: got 3, want 4"},
		"name only":               {Test: "TestPay"},
		"why":                     {Test: "TestPay", Why: "the process ended in it"},
		"all":                     {Test: "TestPay/a_b#01", Why: "its `deadline` passed", Output: "one\n\n  two\n\tthree\r\n\n"},
		"line breaks":             {Test: "TestPay", Output: "\n\n"},
		"backticks":               {Test: "TestPay", Output: "```go\nx\n```\n`````\nFAIL TestOther\n\n```"},
		"a fence":                 {Test: "TestPay", Why: "killed", Output: "```"},
		"more backticks than any": {Test: "TestPay", Output: strings.Repeat("`", 300) + "\n" + strings.Repeat("`", longestFence) + "\nmore"},
		"like a why":              {Test: "TestPay", Output: "FAIL TestPay\n\nwhy\n"},
		"unicode":                 {Test: "TestÜ/日本", Why: "…", Output: "\u2028 \x1b[31mred\x00"},
	} {
		book := trace(t)
		at := lazy.Position{Thread: 3, At: 17}
		it := f.Note(at, 5)
		if got, ok := FailureOf(it); !ok || got != f {
			t.Errorf("%s: %+v, %v from %q", name, got, ok, it.Text)
		}
		book.Put(it)
		save(t, book)
		items := open(t, book.trace).Items()
		if len(items) != 1 || items[0].At != at || items[0].Event != 5 || items[0].Author != FailureAuthor {
			t.Fatalf("%s: saved as %+v", name, items)
		}
		if got, ok := FailureOf(items[0]); !ok || got != f {
			t.Errorf("%s: after it was saved: %+v, %v", name, got, ok)
		}
	}
}

// trace returns a book for notes of failures beside a new trace.
func trace(t *testing.T) *Book {
	t.Helper()
	b, err := Open(newTrace(t), Options{Author: FailureAuthor, Now: ticking.now})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestFailureBounds: of what is too long the beginning and the end are kept, in a note that can be saved and read.
func TestFailureBounds(t *testing.T) {
	for name, line := range map[string]string{
		"lines": "x_test.go:41: the same again\n", "one line": "é", "not UTF-8": "\xff-\xfe-", "blank": "\n",
	} {
		f := Failure{Test: strings.Repeat("T\n", maxFailureName), Why: strings.Repeat("wé", maxFailureWhy), Output: "begin " + strings.Repeat(line, maxText) + " end"}
		book := trace(t)
		it := book.Put(f.Note(at(1), 1))
		if len(it.Text) > maxText || !utf8.ValidString(it.Text) {
			t.Errorf("%s: a text of %d bytes", name, len(it.Text))
		}
		save(t, book)
		got, ok := FailureOf(open(t, book.trace).Items()[0])
		if !ok || !strings.HasPrefix(got.Output, "begin ") || !strings.HasSuffix(got.Output, " end") || len(got.Output) < maxText/3 ||
			!strings.Contains(got.Output, " bytes left out …\n") || strings.Trim(got.Test, "T ") != "" || strings.Trim(got.Why, "wé") != "" {
			t.Errorf("%s: %v, %d bytes, %.20q", name, ok, len(got.Output), got.Output)
		}
	}
}

// TestNoFailure: other notes are none of failed tests.
func TestNoFailure(t *testing.T) {
	f := Failure{Test: "TestPay"}
	for name, change := range map[string]func(*Item){
		"a person's":      func(it *Item) { it.Author = "ada" },
		"a mark":          func(it *Item) { it.Mark = 'a' },
		"another text":    func(it *Item) { it.Text = "ok TestPay" },
		"without a test":  func(it *Item) { it.Text = "FAIL \n" },
		"without a space": func(it *Item) { it.Text = "FAILTestPay" },
	} {
		it := f.Note(at(1), 1)
		if change(&it); it.ID != "" {
			t.Fatal("a note of a failure has an id before it is put")
		}
		if got, ok := FailureOf(it); ok {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestPlaces: the places that an output names, in its order.
func TestPlaces(t *testing.T) {
	const panicked = `panic: boom [recovered]

goroutine 7 [running]:
testing.tRunner.func1.2({0x1, 0x2})
	/usr/local/go/src/testing/testing.go:1872 +0x1d
example.com/pay.(*Till).Pay(...)
	/home/a b/pay/till.go:12
created by testing.(*T).Run in goroutine 1
	C:/go/src/testing/testing.go:1997 +0x465
exit status 2`
	for output, want := range map[string][]Place{
		"":                                  nil,
		"no place: 12, x.go, go:12, x.go:0": nil,
		"x_test.go:41: got 3, want 4":       {{"x_test.go", 41}},
		"x_test.go:41: a\nx_test.go:7: b\nx_test.go:41: c":                              {{"x_test.go", 41}, {"x_test.go", 7}},
		"\tError Trace:\t/home/me/x_test.go:41\n\t            \t\t\t\t/home/me/y.go:12": {{"/home/me/x_test.go", 41}, {"/home/me/y.go", 12}},
		"see (a/b.go:3), \"c.go:4\" and C:\\x\\y.go:12:8: d\r":                          {{"a/b.go", 3}, {"c.go", 4}, {`C:\x\y.go`, 12}},
		"x.go:99999999999 y.gox:3 z.go:4x":                                              nil,
		panicked:                                                                        {{"/usr/local/go/src/testing/testing.go", 1872}, {"/home/a b/pay/till.go", 12}, {"C:/go/src/testing/testing.go", 1997}},
	} {
		f := Failure{Output: output}
		if got := f.Places(); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", output, got, want)
		}
	}
}
