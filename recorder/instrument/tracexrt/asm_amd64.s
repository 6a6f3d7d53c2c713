//go:build tracexrt

#include "go_asm.h"
#include "textflag.h"

// func context() (gp uintptr, t uint64, off uintptr, pc uintptr)
//
// The frame pointer is that of the caller, whose frame begins with that of its caller.
TEXT ·context(SB), NOSPLIT, $0-32
	MOVQ R14, gp+0(FP)
	MOVQ (BP), CX
	MOVQ 8(CX), BX
	MOVQ BX, pc+24(FP)
	MOVQ 8(R14), BX
	SUBQ CX, BX
	MOVQ BX, off+16(FP)
	CMPL ·clock(SB), $1
	JNE  none
	RDTSC
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ AX, t+8(FP)
	RET
none:
	MOVQ $0, t+8(FP)
	RET

// func goroutineNow() (gp uintptr, t uint64)
TEXT ·goroutineNow(SB), NOSPLIT, $0-16
	MOVQ R14, gp+0(FP)
	CMPL ·clock(SB), $1
	JNE  none
	RDTSC
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ AX, t+8(FP)
	RET
none:
	MOVQ $0, t+8(FP)
	RET

// func running() uintptr
TEXT ·running(SB), NOSPLIT, $0-8
	MOVQ R14, ret+0(FP)
	RET

// func framePointer() uintptr
//
// It returns the frame pointer of the caller, or of what is between.
TEXT ·framePointer(SB), NOSPLIT, $0-8
	MOVQ BP, ret+0(FP)
	RET

// func counterIsSteady() bool
//
// The processor says so in bit 8 of EDX of leaf 0x80000007.
TEXT ·counterIsSteady(SB), NOSPLIT, $0-1
	MOVB $0, ret+0(FP)
	MOVL $0x80000000, AX
	CPUID
	CMPL AX, $0x80000007
	JCS  no
	MOVL $0x80000007, AX
	CPUID
	SHRL $8, DX
	ANDL $1, DX
	MOVB DX, ret+0(FP)
no:
	RET

// func compareAndSwap(p *uint32, old, new uint32) bool
TEXT ·compareAndSwap(SB), NOSPLIT, $0-17
	MOVQ p+0(FP), BX
	MOVL old+8(FP), AX
	MOVL new+12(FP), CX
	LOCK
	CMPXCHGL CX, 0(BX)
	SETEQ ret+16(FP)
	RET

// func compareAndSwap64(p *uint64, old, new uint64) bool
TEXT ·compareAndSwap64(SB), NOSPLIT, $0-25
	MOVQ p+0(FP), BX
	MOVQ old+8(FP), AX
	MOVQ new+16(FP), CX
	LOCK
	CMPXCHGQ CX, 0(BX)
	SETEQ ret+24(FP)
	RET

// func sweepgen() uint32
//
// In assembler the goroutine cannot move to another processor meanwhile.
TEXT ·sweepgen(SB), NOSPLIT, $0-4
	MOVQ const_offGM(R14), AX
	MOVQ const_offMP(AX), AX
	MOVQ const_offPCache(AX), AX
	MOVL const_offFlushGen(AX), AX
	MOVL AX, ret+0(FP)
	RET

// func add(p *uint64, n uint64)
TEXT ·add(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), BX
	MOVQ n+8(FP), AX
	LOCK
	XADDQ AX, 0(BX)
	RET

// func syscall6(n, a, b, c, d, e, f uintptr) (r uintptr)
TEXT ·syscall6(SB), NOSPLIT, $0-64
	MOVQ n+0(FP), AX
	MOVQ a+8(FP), DI
	MOVQ b+16(FP), SI
	MOVQ c+24(FP), DX
	MOVQ d+32(FP), R10
	MOVQ e+40(FP), R8
	MOVQ f+48(FP), R9
	SYSCALL
	MOVQ AX, ret+56(FP)
	RET
