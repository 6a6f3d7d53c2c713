// Package outline is the tree on the screen: where the cursor is, which rows there are
// around it, and the moves through them. A move is a [Goal]: it goes as far as what is
// loaded lets it, and says what is to be loaded for the rest.
package outline
