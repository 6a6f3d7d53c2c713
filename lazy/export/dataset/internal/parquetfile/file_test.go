package parquetfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// item is an element of the list of a row.
type item struct {
	Kind   string   `parquet:"kind"`
	Text   *string  `parquet:"text,optional"`
	Number *float64 `parquet:"number,optional"`
}

// row is what the other library reads of a file of rowSchema.
type row struct {
	Small  int32             `parquet:"small"`
	Large  *int64            `parquet:"large,optional"`
	Often  *int32            `parquet:"often,optional"`
	Hash   int64             `parquet:"hash"`
	Name   string            `parquet:"name"`
	Maybe  *string           `parquet:"maybe,optional"`
	Yes    bool              `parquet:"yes"`
	List   []item            `parquet:"list,list"`
	Pair   *item             `parquet:"pair,optional"`
	Labels map[string]string `parquet:"labels"`
}

func items() []Node {
	return []Node{Leaf("kind", Name), Optional(Leaf("text", Text)), Optional(Leaf("number", Double))}
}

func rowSchema() *Schema {
	return NewSchema(Leaf("small", Int32), Optional(Leaf("large", Int64)), Optional(Leaf("often", Repeat32)), Leaf("hash", Repeat64),
		Leaf("name", Name), Optional(Leaf("maybe", Text)), Leaf("yes", Boolean), List("list", items()...), Optional(Struct("pair", items()...)), Map("labels"))
}

// randomRows returns rows. few makes values that repeat.
func randomRows(r *rand.Rand, n int, few bool) (rows []row) {
	text := func() string {
		if few {
			return fmt.Sprint("t", r.IntN(5))
		}
		return strings.Repeat("x", r.IntN(40)) + fmt.Sprint(r.Uint64())
	}
	some := func() item {
		it := item{Kind: fmt.Sprint("k", r.IntN(4))}
		if r.IntN(3) > 0 {
			s := text()
			it.Text = &s
		}
		if r.IntN(2) > 0 {
			f := r.NormFloat64()
			if few {
				f = float64(r.IntN(3))
			}
			it.Number = &f
		}
		return it
	}
	for i := range n {
		x := row{Small: int32(i), Name: fmt.Sprint("n", r.IntN(300)), Yes: r.IntN(7) == 0, Hash: int64(r.Uint64()), List: []item{}, Labels: map[string]string{}}
		if few {
			x.Hash = int64(r.IntN(9))
		}
		if r.IntN(4) > 0 {
			v := int64(r.Uint64())
			if few {
				v = int64(i) * 1000
			}
			x.Large = &v
		}
		if r.IntN(10) > 0 {
			v := int32(r.Uint32())
			x.Often = &v
		}
		if r.IntN(2) > 0 {
			s := text()
			x.Maybe = &s
		}
		for range r.IntN(4) {
			x.List = append(x.List, some())
		}
		if r.IntN(2) > 0 {
			it := some()
			x.Pair = &it
		}
		for k := range r.IntN(3) {
			x.Labels[fmt.Sprint("key", k)] = text()
		}
		rows = append(rows, x)
	}
	return rows
}

// table gives names numbers.
type table struct {
	ids  map[string]int32
	list []string
}

func (t *table) id(s string) int32 {
	id, ok := t.ids[s]
	if !ok {
		id = int32(len(t.list)) * 700 // beyond those that are found without hashing, too
		t.ids[s] = id
		t.list = append(t.list, s)
	}
	return id
}

func (t *table) name(id int32) string { return t.list[id/700] }

// fillItem appends an item to its three columns. def is the level of one that is there.
func fillItem(t *table, c []*Column, it *item, def uint8) {
	c[0].Names = append(c[0].Names, t.id(it.Kind))
	c[0].Defs = append(c[0].Defs, def)
	d := def
	if it.Text != nil {
		c[1].AddText([]byte(*it.Text))
		d++
	}
	c[1].Defs = append(c[1].Defs, d)
	d = def
	if it.Number != nil {
		c[2].Doubles = append(c[2].Doubles, *it.Number)
		d++
	}
	c[2].Defs = append(c[2].Defs, d)
}

// absent appends to columns that nothing is there.
func absent(c []*Column, reps bool) {
	for _, k := range c {
		if k.Defs = append(k.Defs, 0); reps {
			k.Reps = append(k.Reps, 0)
		}
	}
}

func fillRow(t *table, c []*Column, x *row) {
	level := func(there bool) uint8 {
		if there {
			return 1
		}
		return 0
	}
	c[0].Int32s = append(c[0].Int32s, x.Small)
	if c[1].Defs = append(c[1].Defs, level(x.Large != nil)); x.Large != nil {
		c[1].Int64s = append(c[1].Int64s, *x.Large)
	}
	if c[2].Defs = append(c[2].Defs, level(x.Often != nil)); x.Often != nil {
		c[2].Int32s = append(c[2].Int32s, *x.Often)
	}
	c[3].Int64s = append(c[3].Int64s, x.Hash)
	c[4].Names = append(c[4].Names, t.id(x.Name))
	if c[5].Defs = append(c[5].Defs, level(x.Maybe != nil)); x.Maybe != nil {
		c[5].AddText([]byte(*x.Maybe))
	}
	c[6].Booleans = append(c[6].Booleans, level(x.Yes))
	for i := range x.List {
		fillItem(t, c[7:10], &x.List[i], 1)
		for _, k := range c[7:10] {
			k.Reps = append(k.Reps, level(i > 0))
		}
	}
	if len(x.List) == 0 {
		absent(c[7:10], true)
	}
	if x.Pair != nil {
		fillItem(t, c[10:13], x.Pair, 1)
	} else {
		absent(c[10:13], false)
	}
	first := uint8(0)
	for k, v := range x.Labels {
		c[13].AddText([]byte(k))
		c[14].AddText([]byte(v))
		c[13].Defs, c[14].Defs = append(c[13].Defs, 1), append(c[14].Defs, 2)
		c[13].Reps, c[14].Reps, first = append(c[13].Reps, first), append(c[14].Reps, first), 1
	}
	if first == 0 {
		absent(c[13:15], true)
	}
}

// TestRead: another library reads what is written, however rows are divided into pages and groups.
func TestRead(t *testing.T) {
	for _, size := range []struct{ rows, page, group int }{{0, 1, 1}, {1, 1, 1}, {700, 1000, 1000}, {1200, 250, 700}} {
		for _, few := range []bool{true, false} {
			r := rand.New(rand.NewPCG(uint64(size.rows), 7))
			want := randomRows(r, size.rows, few)
			names := &table{ids: map[string]int32{}}
			s := rowSchema()
			columns := s.Columns(names.name)
			if len(columns) != s.Leaves() {
				t.Fatalf("%d columns", len(columns))
			}
			var b bytes.Buffer
			w := NewWriter(&b, s, "test", 0)
			end := func() {
				for _, c := range columns {
					if err := c.EndPage(); err != nil {
						t.Fatal(err)
					}
				}
			}
			group := 0
			for i := range want {
				fillRow(names, columns, &want[i])
				if group++; group%size.page == 0 {
					end()
				}
				if group == size.group || i == len(want)-1 {
					end()
					if err := w.Group(int64(group), columns); err != nil {
						t.Fatal(err)
					}
					group = 0
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if w.Size() != int64(b.Len()) || w.Rows() != int64(len(want)) {
				t.Errorf("%d bytes, %d rows", w.Size(), w.Rows())
			}
			got, err := parquet.Read[row](bytes.NewReader(b.Bytes()), int64(b.Len()))
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != len(want) {
				t.Fatalf("%d rows, want %d", len(got), len(want))
			}
			for i := range want {
				if len(got[i].List) == 0 {
					got[i].List = []item{}
				}
				if len(got[i].Labels) == 0 {
					got[i].Labels = map[string]string{}
				}
				if !reflect.DeepEqual(got[i], want[i]) {
					t.Fatalf("%+v: row %d is\n%+v\n%+v", size, i, got[i], want[i])
				}
			}
		}
	}
}

// TestBounds: readers get the bounds of integers and names.
func TestBounds(t *testing.T) {
	names := &table{ids: map[string]int32{}}
	s := NewSchema(Leaf("n", Int32), Optional(Leaf("m", Repeat64)), Leaf("name", Name))
	c := s.Columns(names.name)
	c[0].Int32s = []int32{7, -3, math.MaxInt32}
	c[1].Int64s, c[1].Defs = []int64{math.MinInt64, 4}, []uint8{1, 0, 1}
	c[2].Names = []int32{names.id("m"), names.id("zebra"), names.id("apple")}
	var b bytes.Buffer
	w := NewWriter(&b, s, "test")
	for _, k := range c {
		if err := k.EndPage(); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Group(3, c), w.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	chunks := f.RowGroups()[0].ColumnChunks()
	for i, want := range []string{"-3 2147483647", "-9223372036854775808 4", "apple zebra"} {
		low, high, ok := chunks[i].(*parquet.FileColumnChunk).Bounds()
		if got := low.String() + " " + high.String(); !ok || got != want {
			t.Errorf("column %d: %s, want %s", i, got, want)
		}
	}
}

// TestFailure: an error of writing sticks.
func TestFailure(t *testing.T) {
	full := errors.New("full")
	w := NewWriter(failing{full}, NewSchema(Leaf("n", Int32)), "test")
	if err := w.Close(); !errors.Is(err, full) {
		t.Error(err)
	}
	if err := w.Group(0, nil); !errors.Is(err, full) {
		t.Error(err)
	}
}

type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }

var _ io.Writer = failing{}
