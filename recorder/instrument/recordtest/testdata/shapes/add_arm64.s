#include "textflag.h"

// func inAssembler(n int) int
TEXT ·inAssembler(SB), NOSPLIT, $0-16
	MOVD n+0(FP), R0
	ADD  $1, R0
	MOVD R0, ret+8(FP)
	RET
