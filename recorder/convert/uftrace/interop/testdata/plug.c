// A library that dlopen loads.
static int inner(int x) { return x * x; }

int plug(int x) { return inner(x) + 1; }
