//go:build !race

#include "textflag.h"

// On amd64 each store is seen by others after those before it, so a plain one
// publishes what was written. Go's atomic stores wait for it to be seen at
// once, which takes as long as the rest of a trace point.

// func stamp(m *mark, place uint64, published *atomic.Uint64, now uint64)
//
// RDTSC as in counter: the reading, the mark, and what is published, in one go.
TEXT ·stamp(SB), NOSPLIT, $0-32
	MOVQ m+0(FP), DI
	MOVQ place+8(FP), SI
	MOVQ published+16(FP), R8
	MOVQ now+24(FP), R9
	RDTSC
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ SI, 0(DI)
	MOVQ AX, 8(DI)
	MOVQ R9, 0(R8)
	RET

// func release(published *atomic.Uint64, now uint64)
TEXT ·release(SB), NOSPLIT, $0-16
	MOVQ published+0(FP), R8
	MOVQ now+8(FP), R9
	MOVQ R9, 0(R8)
	RET
