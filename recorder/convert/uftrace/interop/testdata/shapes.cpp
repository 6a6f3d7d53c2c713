// Records of C++: methods, strings, templates, lambdas, exceptions, and libraries that dlopen loads.
#include <csignal>
#include <cstdio>
#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <vector>

struct Shape {
	virtual ~Shape() {}
	virtual double area(double scale) = 0;
};

namespace geo {
struct Square : Shape {
	double side;
	Square(double s) : side(s) {}
	double area(double scale) override;
};
} // namespace geo

double geo::Square::area(double scale) { return side * side * scale; }

std::string join(const std::string &a, std::string b) { return a + b; }

template <class T> T twice(T x) { return x + x; }

void thrower(int n) {
	if (n == 0)
		throw std::runtime_error("bad");
	thrower(n - 1);
}

int catcher(int n) {
	try {
		thrower(n);
	} catch (std::exception &) {
		return -1;
	}
	return 0;
}

typedef int (*plugin)(int);

int use(const char *path) {
	void *library = dlopen(path, RTLD_NOW);
	if (!library)
		return -1;
	plugin f = (plugin)dlsym(library, "plug");
	int result = f(5);
	dlclose(library);
	return result;
}

int main(int argc, char **argv) {
	{
		geo::Square square(3);
		Shape *shape = &square;
		shape->area(2);
	}
	join("ab", "cd");
	twice(3);
	twice(2.5);
	catcher(3);
	catcher(0);
	use("./libplug.so");
	use("./libother.so");
	std::vector<int> list;
	for (int i = 0; i < 5; i++)
		list.push_back(i);
	if (argc > 1)
		raise(SIGKILL);
	return 0;
}
