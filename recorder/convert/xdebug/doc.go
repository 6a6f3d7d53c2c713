// Package xdebug converts the function traces of Xdebug for PHP, in the format for programs
// (xdebug.trace_format=1; "File format" 2 to 4):
//
//	level  number  0  time  memory  name  user-defined  include  file  line  count  parameters…
//	level  number  1  time  memory
//	level  number  R                value
//	level          A                              file  line  variable = value
//
// The columns are separated by tabs. A call of class->method or class::method becomes a call of that class; other
// functions have none, but their namespace. Parameters have no names in this format. The file that is included, or the code
// that is evaluated, is the argument of the call. The place is that of the call; its function is the caller. An assignment becomes
// the value of a variable; one that is computed ($sum += 12) has its operator with it.
//
// Values are texts, as PHP has them. Strings, numbers, booleans and NULL become values of these kinds. PHP's trace does not
// tell 1.0 from 1. Arrays, objects and what Xdebug has shortened are texts.
//
// Each TRACE START begins a thread, with the name of the script. Times are those since the start of PHP's request, after the time
// of TRACE START, which is UTC since Xdebug 3, and local time before. Memory is left out. A trace does not tell whether a call
// ended by an exception or returned nothing.
package xdebug
