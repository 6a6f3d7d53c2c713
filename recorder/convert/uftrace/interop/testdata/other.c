// Another, which may be loaded at the same address.
static int different(int x) { return x - 9; }

int plug(int x) { return different(x) + 1; }
