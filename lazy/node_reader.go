package lazy

import "tracex/lazy/internal/walk"

// nodeReader reads children of a node for the tree. It must be used within use.
type nodeReader struct{ walk.ChildReader }
