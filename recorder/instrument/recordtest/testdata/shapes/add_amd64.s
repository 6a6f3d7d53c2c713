#include "textflag.h"

// func inAssembler(n int) int
TEXT ·inAssembler(SB), NOSPLIT, $0-16
	MOVQ n+0(FP), AX
	ADDQ $1, AX
	MOVQ AX, ret+8(FP)
	RET
