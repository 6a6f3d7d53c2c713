// The program whose recording is in the folder data, by
// uftrace record --auto-args --srcline -T 'greet@read=page-fault' -d data ./demo
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum color { RED = 1, GREEN = 2, BLUE = 8 };
struct point { int x, y; };

int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
double scale(double x, float y, char c) { return x * y + c; }
const char *greet(const char *who) {
	static char text[40];
	snprintf(text, sizeof text, "hello, %s", who);
	return text;
}
enum color mix(enum color a, enum color b) { return a | b; }
int sum(struct point p) { return p.x + p.y; }
void *give(void *p, int (*f)(int)) { return p; }
long double wide(long double a) { return a * 2; }

static void *worker(void *arg) { fib(2); return arg; }

static jmp_buf env;
void jump(int n) { if (n == 0) longjmp(env, 7); jump(n - 1); }
int jumper(void) { int r = setjmp(env); if (r == 0) jump(1); return r; }

int main(int argc, char **argv) {
	fib(3);
	scale(1.5, 2.25f, 'x');
	greet("wörld");
	mix(RED, BLUE);
	sum((struct point){3, -4});
	give(NULL, fib);
	wide(1.25L);
	pthread_t t;
	pthread_create(&t, 0, worker, 0);
	pthread_join(t, 0);
	jumper();
	pid_t child = fork();
	if (child == 0) {
		fib(1);
		return 3;
	}
	int status;
	waitpid(child, &status, 0);
	return 0;
}
