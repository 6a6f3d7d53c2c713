// Package instrumented converts the raw files of instrumented programs, see package raw, to a
// trace, while the programs run or afterwards.
//
//	goroutine                   thread: "main", "goroutine 21 main.worker ← 1 main.main main.go:78";
//	                            with several programs "btree.test › main"
//	call                        call; its location is where it was called
//	go statement                call without children, "go worker(i): goroutine 21". If several
//	                            goroutines may be the one, "≈ goroutine 21"
//	call that ended by a panic  call that threw "panic: " and the value of the panic
//	            by Goexit       call that threw "runtime.Goexit"
//	            unseen          call that threw "<unwound>"
//	call that did not end       call with the result <unfinished method>
//	wait                        leaf call of class wait, of what the goroutine waits for:
//	                            the function, and the goroutine that ended it
//	call that began in data     call without arguments that was under way, if it was still
//	    that has been dropped   open where the data begins
//
// Values are the same as those that Capture of package recorder makes of the Go values, as far as
// programs record them. Several results, and the value of a panic, are shown as Go literals.
//
// A file is read in rounds, one for each [Converter.Step]: first the heads of new chunks, with
// their times and with descriptors, then what was added to chunks that were not full, then new
// chunks. A chunk has the events of one g, so that its stream is looked up once for each. Events
// are encoded as bytes of the trace at once. The bytes of each thread are written as a block, when
// it is large or when the next round has ended.
//
// Between two rounds another conversion may add to the trace, see [Converter.Trace]; or what was
// recorded is added to the trace of another one, see [Options.Begun].
package instrumented
