// Package env is the environment that the parts of the explorer share ([Env]): the trace and its
// state, the window, the clock, the line of messages, what is open in front, work in the background
// and how long a key may wait for it, and the world outside: the terminal, the clipboard, the shell.
package env
