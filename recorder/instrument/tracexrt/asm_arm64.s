//go:build tracexrt

#include "go_asm.h"
#include "textflag.h"

// func context() (gp uintptr, t uint64, off uintptr, pc uintptr)
//
// The frame pointer is that of the caller, whose frame begins with that of its caller.
TEXT ·context(SB), NOSPLIT|NOFRAME, $0-32
	MOVD g, gp+0(FP)
	MOVD (R29), R1
	MOVD 8(R1), R2
	MOVD R2, pc+24(FP)
	MOVD 8(g), R3
	SUB  R1, R3, R3
	MOVD R3, off+16(FP)
	MOVWU ·clock(SB), R4
	MOVD $0, R0
	CMPW $1, R4
	BNE  none
	MRS  CNTVCT_EL0, R0
none:
	MOVD R0, t+8(FP)
	RET

// func goroutineNow() (gp uintptr, t uint64)
TEXT ·goroutineNow(SB), NOSPLIT|NOFRAME, $0-16
	MOVD g, gp+0(FP)
	MOVWU ·clock(SB), R4
	MOVD $0, R0
	CMPW $1, R4
	BNE  none
	MRS  CNTVCT_EL0, R0
none:
	MOVD R0, t+8(FP)
	RET

// func running() uintptr
TEXT ·running(SB), NOSPLIT|NOFRAME, $0-8
	MOVD g, ret+0(FP)
	RET

// func framePointer() uintptr
//
// It returns the frame pointer of the caller, or of what is between.
TEXT ·framePointer(SB), NOSPLIT|NOFRAME, $0-8
	MOVD R29, ret+0(FP)
	RET

// func counterRate() uint64
TEXT ·counterRate(SB), NOSPLIT|NOFRAME, $0-8
	MRS  CNTFRQ_EL0, R0
	MOVD R0, ret+0(FP)
	RET

// func counterIsSteady() bool
TEXT ·counterIsSteady(SB), NOSPLIT|NOFRAME, $0-1
	MOVD $1, R0
	MOVB R0, ret+0(FP)
	RET

// func commit(p uintptr, v uint32)
TEXT ·commit(SB), NOSPLIT|NOFRAME, $0-12
	MOVD  p+0(FP), R0
	MOVWU v+8(FP), R1
	STLRW R1, (R0)
	RET

// func storeRelease64(p, v uintptr)
TEXT ·storeRelease64(SB), NOSPLIT|NOFRAME, $0-16
	MOVD p+0(FP), R0
	MOVD v+8(FP), R1
	STLR R1, (R0)
	RET

// func compareAndSwap(p *uint32, old, new uint32) bool
TEXT ·compareAndSwap(SB), NOSPLIT|NOFRAME, $0-17
	MOVD  p+0(FP), R0
	MOVWU old+8(FP), R1
	MOVWU new+12(FP), R2
again:
	LDAXRW (R0), R3
	CMPW   R1, R3
	BNE    not
	STLXRW R2, (R0), R4
	CBNZ   R4, again
not:
	CSET EQ, R0
	MOVB R0, ret+16(FP)
	RET

// func compareAndSwap64(p *uint64, old, new uint64) bool
TEXT ·compareAndSwap64(SB), NOSPLIT|NOFRAME, $0-25
	MOVD p+0(FP), R0
	MOVD old+8(FP), R1
	MOVD new+16(FP), R2
again:
	LDAXR (R0), R3
	CMP   R1, R3
	BNE   not
	STLXR R2, (R0), R4
	CBNZ  R4, again
not:
	CSET EQ, R0
	MOVB R0, ret+24(FP)
	RET

// func sweepgen() uint32
//
// In assembler the goroutine cannot move to another processor meanwhile.
TEXT ·sweepgen(SB), NOSPLIT|NOFRAME, $0-4
	MOVD  const_offGM(g), R0
	MOVD  const_offMP(R0), R0
	MOVD  const_offPCache(R0), R0
	MOVWU const_offFlushGen(R0), R0
	MOVW  R0, ret+0(FP)
	RET

// func add(p *uint64, n uint64)
TEXT ·add(SB), NOSPLIT|NOFRAME, $0-16
	MOVD p+0(FP), R0
	MOVD n+8(FP), R1
again:
	LDAXR (R0), R2
	ADD   R1, R2
	STLXR R2, (R0), R3
	CBNZ  R3, again
	RET

// func syscall6(n, a, b, c, d, e, f uintptr) (r uintptr)
TEXT ·syscall6(SB), NOSPLIT|NOFRAME, $0-64
	MOVD n+0(FP), R8
	MOVD a+8(FP), R0
	MOVD b+16(FP), R1
	MOVD c+24(FP), R2
	MOVD d+32(FP), R3
	MOVD e+40(FP), R4
	MOVD f+48(FP), R5
	SVC
	MOVD R0, ret+56(FP)
	RET
