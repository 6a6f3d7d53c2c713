package tracex.interop;

import java.util.List;
import org.jetbrains.lincheck.trace.printing.TracePrintingKt;
import org.jetbrains.lincheck.trace.serialization.TraceReaderKt;
import org.jetbrains.lincheck.trace.serialization.TraceWithContext;

/** The library's eager loader: the whole forest in memory, no index. */
final class EagerReader {
    private EagerReader() {}

    /** print-eager DATA OUT verbose|short */
    static Reply print(List<String> args) {
        Commands.expect(args, 3);
        boolean verbose = Commands.choice(args.get(2), "verbose", "short");

        long start = System.nanoTime();
        TraceWithContext trace = TraceReaderKt.loadRecordedTrace(args.get(0));
        long loaded = System.nanoTime();
        TracePrintingKt.printRecorderTrace(args.get(1), trace.getContext(), trace.getRoots(), verbose);
        return Reply.ok()
                .with("threads", trace.getRoots().size())
                .with("load-ns", loaded - start)
                .with("print-ns", System.nanoTime() - loaded)
                .withMemory();
    }
}
