package summary

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tracex/lazy/internal/decode"
)

// randomSet returns distinct ids: few or many, near or far from each other.
func randomSet(rng *rand.Rand) []int32 {
	var ids []int32
	spread := []int32{3, 100, 5000, math.MaxInt32}[rng.IntN(4)]
	for range rng.IntN(60) {
		id := rng.Int32N(spread)
		if rng.IntN(9) == 0 {
			id = -id - 1
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	rng.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	return ids
}

func randomUnit(rng *rand.Rand) (u Unit, objects []uint64) {
	u = Unit{
		Points: rng.Int64N(1 << 40), Calls: rng.Int64N(100), Throws: rng.Int64N(3), First: rng.Int32() - 1<<30, Classes: rng.Uint32(), Longest: rng.Int64N(3) - 1,
	}
	u.Last = int32(min(int64(u.First)+rng.Int64N(1<<32), math.MaxInt32))
	for i := range u.Sets {
		u.Sets[i] = randomSet(rng)
	}
	for range rng.IntN(300) {
		objects = append(objects, Key(rng.Uint64(), rng.Int32()))
	}
	return u, objects
}

// TestUnit: a unit is read as it was written; objects that were in it are in it.
func TestUnit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	wrong := 0
	for range 100 {
		u, objects := randomUnit(rng)
		var got Unit
		b := u.Append(nil, objects, false)
		if !got.Decode(b) {
			t.Fatalf("%+v cannot be read", u)
		}
		for i := range u.Sets {
			slices.Sort(u.Sets[i])
			if !slices.Equal(got.Sets[i], u.Sets[i]) {
				t.Fatalf("%v, want %v", got.Sets[i], u.Sets[i])
			}
		}
		for _, key := range objects {
			if !got.Objects.Has(key) {
				t.Fatal("an object is missing")
			}
		}
		for range 100 {
			if got.Objects.Has(Key(rng.Uint64(), rng.Int32())) {
				wrong++
			}
		}
		got.Sets, got.Objects = u.Sets, Objects{}
		if got.Points != u.Points || got.Calls != u.Calls || got.Throws != u.Throws || got.First != u.First || got.Last != u.Last ||
			got.Classes != u.Classes || got.Longest != u.Longest {
			t.Errorf("%+v\nwant %+v", got, u)
		}
		for i := range b {
			(&Unit{}).Decode(b[:i])
		}
	}
	if wrong > 10_000/50 {
		t.Errorf("%d of 10000 objects that are not there seem to be", wrong)
	}
}

// TestSetForms: many ids near each other take a bit each, few far from each other some bytes each.
func TestSetForms(t *testing.T) {
	var near, far []int32
	for i := range int32(1000) {
		near = append(near, 3*i)
		far = append(far, 1_000_000*i)
	}
	if n := len(appendSet(nil, near)); n > 400 {
		t.Errorf("%d bytes", n)
	}
	if n := len(appendSet(nil, far)); n > 3100 {
		t.Errorf("%d bytes", n)
	}
}

// TestTooManyObjects: a filter has a largest size; where it would say yes to nearly all, there is none.
func TestTooManyObjects(t *testing.T) {
	for _, n := range []int{8000, 16_000, 40_000} {
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		keys := make([]uint64, n)
		for i := range keys {
			keys[i] = Key(1, rng.Int32())
		}
		b := appendObjects(nil, keys, false)
		if len(b) > mostFilter+8 {
			t.Errorf("%d objects take %d bytes", n, len(b))
		}
		d := decoder{decode.Reader{B: b}}
		o := d.objects()
		for _, key := range keys {
			if !o.Has(key) {
				t.Fatal("an object is missing")
			}
		}
		if n == 40_000 && !o.any {
			t.Error("a filter without use")
		}
	}
}

// written returns a summary of three streams, with the units that it has.
func written(t testing.TB) (b []byte, units []Unit) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	var out bytes.Buffer
	w := NewWriter(&out, 100, []Stream{{0, 250}, {2, 40}, {3, 0}, {7, 101}})
	for _, threads := range []int{0, 0, 0, 2, 0, 0} {
		u, objects := randomUnit(rng)
		units = append(units, u)
		if err := w.Unit(threads, u.Append(nil, objects, false)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.End(Of{Data: Print{1, 2}, Times: Print{3, 4}, Timed: true}, []byte("tables")); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), units
}

// TestFile: what was written is found where it belongs.
func TestFile(t *testing.T) {
	b, units := written(t)
	f, err := New(b)
	if err != nil {
		t.Fatal(err)
	}
	if f.Of() != (Of{Print{1, 2}, Print{3, 4}, true}) {
		t.Errorf("%+v", f.Of())
	}
	if tables, ok := f.Tables(); !ok || string(tables) != "tables" {
		t.Errorf("%q", tables)
	}
	x, err := f.Directory()
	if err != nil {
		t.Fatal(err)
	}
	for i := range x.Units {
		var u Unit
		if !f.Read(&x.Units[i], &u) || u.Points != units[i].Points {
			t.Errorf("unit %d: %+v", i, u)
		}
	}
	for _, c := range []struct {
		thread     int32
		from, to   int64
		first, end int
	}{
		{0, 0, -1, 0, 3}, {0, 0, 100, 0, 1}, {0, 99, 101, 0, 2}, {0, 100, 200, 1, 2}, {0, 240, -1, 2, 3}, {2, 0, -1, 3, 4}, {3, 0, -1, 3, 4},
		{7, 0, 5, 4, 5}, {7, 100, -1, 5, 6}, {1, 0, -1, 0, 0}, {9, 0, -1, 0, 0},
	} {
		if first, end := x.Find(c.thread, c.from, c.to); first != c.first || end != c.end {
			t.Errorf("%+v: %d to %d", c, first, end)
		}
	}
}

// TestDamaged: whatever byte changes, and wherever the file is cut, the part that it is in cannot be
// read.
func TestDamaged(t *testing.T) {
	good, _ := written(t)
	read := func(b []byte) bool {
		f, err := New(b)
		if err != nil {
			return false
		}
		_, tables := f.Tables()
		x, err := f.Directory()
		if !tables || err != nil {
			return false
		}
		for i := range x.Units {
			if !f.Read(&x.Units[i], new(Unit)) {
				return false
			}
		}
		return true
	}
	if !read(good) {
		t.Fatal("the whole file cannot be read")
	}
	for i := range good {
		if read(good[:i]) {
			t.Errorf("read, though cut at %d", i)
		}
		b := bytes.Clone(good)
		b[i] ^= 1 << (i % 8)
		if read(b) {
			t.Errorf("read, though changed at %d", i)
		}
	}
}

// TestVersion: a summary of another version says so.
func TestVersion(t *testing.T) {
	b, _ := written(t)
	trailer := b[len(b)-TrailerSize:]
	trailer[3]++
	binary.BigEndian.PutUint32(trailer[TrailerSize-4:], frameSum(trailer[:TrailerSize-4]))
	if _, err := New(b); !errors.Is(err, ErrVersion) {
		t.Error(err)
	}
}

// FuzzDirectory: bytes under a valid checksum may be anything.
func FuzzDirectory(f *testing.F) {
	b, _ := written(f)
	file, err := New(b)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file.dir, file.units)
	f.Fuzz(func(t *testing.T, dir, units []byte) {
		x, err := (&File{dir: dir, dirSum: Sum(dir), units: units}).Directory()
		if err != nil {
			return
		}
		for i := range x.Units {
			p := &x.Units[i]
			p.sum = Sum(units[p.at : p.at+int64(p.size)])
			(&File{units: units}).Read(p, new(Unit))
		}
		for _, s := range x.Streams {
			x.Find(s.Thread, 0, -1)
			x.Find(s.Thread, s.Size/2, s.Size)
		}
	})
}

// FuzzUnit: bytes of a unit may be anything; what was read can be written again.
func FuzzUnit(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		u, objects := randomUnit(rng)
		f.Add(u.Append(nil, objects, false))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var u, again Unit
		if u.Decode(b) && !again.Decode(u.Append(nil, nil, true)) {
			t.Errorf("%+v", u)
		}
	})
}
