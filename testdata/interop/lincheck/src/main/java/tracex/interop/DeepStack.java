package tracex.interop;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Runs work on a thread with a large stack: the library's loader and printer call
 * themselves once per level of nesting.
 */
final class DeepStack {
    /** In bytes. Only what is used is taken from the machine. */
    private static final long SIZE = 1L << 30;

    private DeepStack() {}

    static <T> T call(Callable<T> work) throws Throwable {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = new Thread(null, task, "reader", SIZE);
        thread.start();
        try {
            return task.get();
        } catch (ExecutionException e) {
            throw e.getCause();
        }
    }
}
