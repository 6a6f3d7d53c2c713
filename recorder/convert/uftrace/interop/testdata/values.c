// Records of C: values of all types, threads, processes, recursion and longjmp.
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum color { RED, GREEN = 4, BLUE = 8 };
enum sign { MINUS = -1, PLUS = 1 };
struct point { int x, y; };
struct large { long a[4]; };

int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
double scale(double x, float y, char c) { return x * y + c; }
float half(float x) { return x / 2; }
char *greet(const char *who) {
	static char text[400];
	snprintf(text, sizeof text, "hello %s", who);
	return text;
}
char *maybe(const char *s) { return (char *)s; }
enum color mix(enum color a, enum color b) { return a | b; }
enum sign sign(int x) { return x < 0 ? MINUS : PLUS; }
int point_sum(struct point p) { return p.x + p.y; }
struct point point_of(int x) { struct point p = {x, -x}; return p; }
long large_sum(struct large b) { return b.a[0] + b.a[3]; }
unsigned long integers(unsigned long a, unsigned char b, unsigned short c, short d, long long e, unsigned f, int g, signed char h) {
	return a - b + c + d + e + f + g + h;
}
void *pointers(void *p, int (*f)(int)) { return p; }
long double wide(long double a) { return a * 2; }
_Bool not(_Bool b) { return !b; }
char letter(int i) { return "a\"'z"[i]; }
int deep(int n) { return n == 0 ? 0 : 1 + deep(n - 1); }

static void *worker(void *arg) { fib(*(int *)arg); return arg; }

static jmp_buf env;
void jump(int n) { if (n == 0) longjmp(env, 7); jump(n - 1); }
int jumper(void) { int r = setjmp(env); if (r == 0) jump(3); return r; }

int main(int argc, char **argv) {
	fib(5);
	scale(1.5, 2.25f, 'x');
	half(-0.25f);
	greet("world, \"quoted\"");
	char many[300];
	memset(many, 'm', sizeof many - 1);
	many[sizeof many - 1] = 0;
	greet(many);
	maybe(NULL);
	maybe((char *)1);
	maybe("gr\xc3\xbc\xc3\x9f");
	mix(RED, BLUE);
	mix(GREEN, BLUE);
	mix(GREEN, 16 + 3);
	sign(5);
	struct point p = {3, 4};
	point_sum(p);
	point_of(7);
	struct large b = {{1, 2, 3, 4}};
	large_sum(b);
	integers(-1L, 200, 60000, -5, -7000000000LL, 4000000000u, -123456, -7);
	integers(1L << 63, 0, 0, 0, 0, 0, 0, 0);
	pointers(NULL, fib);
	pointers(&p, NULL);
	wide(1.25L);
	not(1);
	for (int i = 0; i < 4; i++)
		letter(i);
	deep(900);
	pthread_t t[2];
	int n[2] = {4, 6};
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, worker, &n[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	jumper();
	pid_t child = fork();
	if (child == 0) {
		fib(3);
		return 3;
	}
	int status;
	waitpid(child, &status, 0);
	child = fork();
	if (child == 0) {
		fib(2);
		char *args[] = {argv[0], "again", "and", "again", 0};
		if (argc < 2)
			execv(argv[0], args);
		_exit(4);
	}
	waitpid(child, &status, 0);
	greet("end");
	return 0;
}
