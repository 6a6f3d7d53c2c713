// Package command is the command line that ":" opens: the commands by name, what is typed after
// them, completion, and the names nearest to one that is unknown. What a command does is its
// owner's.
package command
