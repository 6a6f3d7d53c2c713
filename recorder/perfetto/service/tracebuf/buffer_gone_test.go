package tracebuf

import (
	"testing"

	"tracex/recorder/internal/perfetto/smb"
)

// TestBufferGone has a producer die at all the moments at which its data is not
// complete: before that, its sequence waits; afterwards, what follows is read, with
// a mark of the loss.
func TestBufferGone(t *testing.T) {
	const next, prev, patched = smb.ContinuesOnNext, smb.ContinuesFromPrev, smb.NeedsPatching
	// H0 and the like are valid messages. A message whose length is missing, and the
	// rest of its packet.
	const open, rest = "\xa2\x38\x00\x00\x00\x00\x0a\x09", "F"
	const who = "\x40\x05\xa2\x38\x05\x0a\x03who" // a valid message of two fields
	for what, c := range map[string]struct {
		chunks         []*smb.Chunk
		waiting, after string
	}{
		"a length is missing": {
			[]*smb.Chunk{chunk(1, 0, next|patched, "H0", open), chunk(1, 1, prev, rest, "H1")},
			"", "!H0 !H1",
		},
		"one in the middle": {
			[]*smb.Chunk{chunk(1, 0, next, "H0", open), chunk(1, 1, prev|next|patched, rest), chunk(1, 2, prev, rest, "H1")},
			"!H0", "!H1",
		},
		"none is missing": { // the last patch announced more, which did not exist
			[]*smb.Chunk{chunk(1, 0, next|patched, "H0", who[:4]), chunk(1, 1, prev, who[4:], "H1")},
			"", "!H0 " + who + " H1",
		},
		"the packet goes on nowhere": {
			[]*smb.Chunk{chunk(1, 0, patched, "H0", open), chunk(1, 1, 0, "H1")},
			"", "!H0 !H1",
		},
		"a hole": {
			[]*smb.Chunk{chunk(1, 0, 0, "H0"), chunk(1, 2, 0, "two"), chunk(1, 4, prev, rest, "four"), chunk(1, 5, 0, "five")},
			"!H0", "!two !four five",
		},
		"a hole in a packet": {
			[]*smb.Chunk{chunk(1, 0, next, "H0", open), chunk(1, 2, prev|next, rest), chunk(1, 3, prev, rest, "three")},
			"!H0", "!three",
		},
		"a packet without an end": {
			[]*smb.Chunk{chunk(1, 0, next, "H0", open), chunk(1, 1, 0, "H1")},
			"!H0", "!H1",
		},
		"a chunk that was never complete": {
			[]*smb.Chunk{scraped(chunk(1, 0, 0, "H0")), chunk(1, 1, prev, rest, "H1")},
			"!H0", "!H1",
		},
	} {
		t.Run(what, func(t *testing.T) {
			b, from := New(1<<16, false), &Origin{Producer: 3}
			for _, c := range c.chunks {
				b.CopyChunkUntrusted(from, c)
			}
			if got := all(b); got != c.waiting {
				t.Errorf("while it lives: %q, want %q", got, c.waiting)
			}
			clone := b.Clone()
			b.ProducerGone(4) // another one
			if got := all(b); got != "" {
				t.Errorf("when another is gone: %q", got)
			}
			b.ProducerGone(from.Producer)
			if got := all(b); got != c.after {
				t.Errorf("when it is gone: %q, want %q", got, c.after)
			}
			if got := all(b); got != "" {
				t.Errorf("again: %q", got)
			}
			if got := all(clone); got != "" {
				t.Errorf("the clone has %q, as if it had gone", got)
			}
		})
	}
}
