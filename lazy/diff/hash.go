package diff

import (
	"context"
	"encoding/binary"
	"math"
	"sort"

	"tracex/lazy"
	"tracex/lazy/internal/mapped"
	"tracex/lazy/internal/walk"
)

// record is what is known of a container with everything in it, or of a leaf.
type record struct {
	v     uint64 // hash of all that counts: header, children, footer
	s     uint32 // hash of the structure: keys without values
	calls uint32 // calls in it, itself included
}

// Records are in a file, those of a thread in the order of its cells:
//
//	0  v u64, 8  s u32, 12  calls u32
//
// and after them what is known of the thread, as large as three of them:
//
//	0  v u64, 8  s u32, 12  roots u32, 16  calls, n, first u64, 40  not used
const (
	recordStructure = 8
	recordCalls     = 12
	recordSize      = 16 // bytes
)

// record returns the record of a point.
func (w whole) record() record {
	return record{v: w.v, s: uint32(w.s >> 32), calls: uint32(min(w.calls, math.MaxUint32))}
}

func (r record) append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, r.v)
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(dst, r.s), r.calls)
}

func recordOf(b []byte) record {
	return record{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint32(b[recordStructure:]), binary.LittleEndian.Uint32(b[recordCalls:])}
}

// threadHash is what is known of a thread: of the points outside of containers and everything in them.
type threadHash struct {
	v     uint64
	s     uint32
	calls int64
	roots int
}

// hashes are the records of a trace. Any goroutine may read them.
type hashes struct {
	file    *recordFile
	records *mapped.File
	threads []hashedAt // by id
	open    map[lazy.Position]record
	ids     map[int32]*identities // by thread; nil if identities do not count
}

// hashedAt is where what is known of a thread is in the file, as the number of a record. The rest of it is not in memory, as there may be a
// million threads.
type hashedAt struct {
	id int32
	at int64
}

// hashedThread is where the records of a thread are.
type hashedThread struct {
	id    int32
	first int64 // ordinal of the first cell
	n     int64 // how many cells
	base  int64 // record of the first one
	threadHash
}

func (t *hashedThread) append(dst []byte) []byte {
	dst = record{t.v, t.s, uint32(min(t.roots, math.MaxInt32))}.append(dst)
	for _, x := range [...]int64{t.calls, t.n, t.first, 0} {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(x))
	}
	return dst
}

// thread returns what is at a place in the file.
func (a hashedAt) thread(records []byte) hashedThread {
	b := records[a.at*recordSize:]
	r := recordOf(b)
	number := func(i int) int64 { return int64(binary.LittleEndian.Uint64(b[recordSize+8*i:])) }
	n := number(1)
	return hashedThread{id: a.id, first: number(2), n: n, base: a.at - n, threadHash: threadHash{v: r.v, s: r.s, calls: number(0), roots: int(r.calls)}}
}

// hashOptions say what of a trace is hashed.
type hashOptions struct {
	on *walk.Known // see [walk.Pass]
	// ranges are parts of the trace, of different threads; nil for all. What is in a range but outside of all containers
	// that begin in it are roots.
	ranges   []walk.PassRange
	identity bool  // see [Options]
	share    int64 // see [walk.Pass]
}

// hashTrace reads a trace, all that is known of it when it begins unless the options say more, and returns its hashes. The caller must
// close them.
func hashTrace(ctx context.Context, r *walk.Reader, o hashOptions, tell lazy.Progress) (*hashes, error) {
	h := new(hashes)
	if o.identity {
		c := &identityCollector{}
		err := r.Pass(ctx, walk.Pass{Raw: true, On: o.on, Ranges: o.ranges, Share: o.share, Collect: []walk.Collector{c}})
		if err != nil {
			return nil, err
		}
		h.ids = c.found
	}
	c := &hashCollector{h: h}
	if o.on != nil && o.ranges == nil {
		c.most = o.on.View.Streams.Len()
	}
	err := r.Pass(ctx, walk.Pass{Raw: true, On: o.on, Ranges: o.ranges, Share: o.share, Collect: []walk.Collector{c}, Progress: tell})
	if err == nil {
		err = c.finish()
	}
	if err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

// of returns the record of a container by the ordinal of its cell in its thread; the zero record if there is none.
func (h *hashes) of(thread int32, cell int64) record {
	t, ok := h.find(thread)
	if !ok || cell < t.first || cell >= t.first+t.n {
		return record{}
	}
	at := (t.base + cell - t.first) * recordSize
	return recordOf(h.records.Bytes()[at:])
}

// unended returns the record of a container whose end was not recorded, by the logical offset of its header.
func (h *hashes) unended(thread int32, at int64) (record, bool) {
	r, ok := h.open[lazy.Position{Thread: thread, At: at}]
	return r, ok
}

// node returns the record of a point that a walker has read; own is its sign. The walker must read the view that was
// hashed.
func (h *hashes) node(thread int32, e *walk.NodeData, own sign) record {
	if !e.Container() {
		return own.leaf()
	}
	if r, ok := h.unended(thread, e.At); ok {
		return r
	}
	if e.State == walk.StateWhole {
		return h.of(thread, e.After-1)
	}
	return record{}
}

// thread returns what is known of a thread; ok is false if it was not read.
func (h *hashes) thread(id int32) (threadHash, bool) {
	t, ok := h.find(id)
	return t.threadHash, ok
}

func (h *hashes) find(id int32) (t hashedThread, ok bool) {
	i := sort.Search(len(h.threads), func(i int) bool { return h.threads[i].id >= id })
	if i < len(h.threads) && h.threads[i].id == id {
		return h.threads[i].thread(h.records.Bytes()), true
	}
	return t, false
}

// signer returns a signer of the points of a thread.
func (h *hashes) signer(thread int32) *signer {
	if h.ids == nil {
		return newSigner(nil)
	}
	ids := h.ids[thread]
	if ids == nil {
		ids = new(identities)
	}
	return newSigner(ids)
}

// Close removes the file of the records.
func (h *hashes) Close() error {
	if h == nil {
		return nil
	}
	err := h.records.Unmap()
	h.records, h.threads, h.open = nil, nil, nil
	if closeErr := h.file.close(); err == nil {
		err = closeErr
	}
	h.file = nil
	return err
}
