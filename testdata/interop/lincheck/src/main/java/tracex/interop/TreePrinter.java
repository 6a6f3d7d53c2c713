package tracex.interop;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.jetbrains.lincheck.trace.TRContainerTracePoint;
import org.jetbrains.lincheck.trace.TRTracePoint;
import org.jetbrains.lincheck.trace.serialization.LazyTraceReader;

/**
 * Prints by the real lazy reader, its folding and its text of each point, without
 * two defects of its own printer: that shows the first top-level point of a thread
 * alone, and the second child of a call twice when there are two and the first
 * folds away.
 */
final class TreePrinter {
    private final LazyTraceReader reader;
    private final PrintStream out;
    private final boolean verbose;
    /** The containers being printed, innermost first. */
    private final Deque<Open> stack = new ArrayDeque<>();

    private record Open(TRContainerTracePoint point, Iterator<TRTracePoint> children) {}

    private TreePrinter(LazyTraceReader reader, PrintStream out, boolean verbose) {
        this.reader = reader;
        this.out = out;
        this.verbose = verbose;
    }

    /** Prints all threads that have a point. */
    static void print(LazyTraceReader reader, String file, boolean verbose) throws IOException {
        List<List<TRTracePoint>> threads =
                reader.readTopLevelTracePoints().stream().filter(points -> !points.isEmpty()).toList();
        try (PrintStream out = new PrintStream(file, StandardCharsets.UTF_8)) {
            TreePrinter printer = new TreePrinter(reader, out, verbose);
            for (List<TRTracePoint> points : threads) {
                printer.thread(points.get(0).getThreadId(), threads.size());
                points.forEach(printer::tree);
            }
            if (out.checkError()) {
                throw new IOException("cannot write " + file);
            }
        }
    }

    private void thread(int id, int threads) {
        String name = threads > 1 ? " (" + reader.getContext().getThreadName(id) + ")" : "";
        out.print("# Thread " + (id + 1) + name + "\n");
    }

    private void tree(TRTracePoint root) {
        point(root);
        while (!stack.isEmpty()) {
            Open top = stack.peek();
            if (top.children.hasNext()) {
                point(top.children.next());
            } else {
                stack.pop();
                top.point.unloadAllChildren();
            }
        }
    }

    /** Prints one line; a container with children becomes the top of the stack. */
    private void point(TRTracePoint point) {
        out.print("  ".repeat(stack.size()) + point.toText(verbose) + "\n");
        if (point instanceof TRContainerTracePoint container && !container.getEvents().isEmpty()) {
            // Folding may have loaded children to the wrong places.
            container.unloadAllChildren();
            reader.loadAllChildren(container);
            stack.push(new Open(container, container.getEvents().stream().filter(Objects::nonNull).iterator()));
        }
    }
}
