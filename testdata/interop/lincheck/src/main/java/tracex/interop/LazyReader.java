package tracex.interop;

import java.util.List;
import kotlin.Pair;
import org.jetbrains.lincheck.trace.CompressingPostprocessor;
import org.jetbrains.lincheck.trace.TRTracePoint;
import org.jetbrains.lincheck.trace.TracePostprocessor;
import org.jetbrains.lincheck.trace.printing.TracePrintingKt;
import org.jetbrains.lincheck.trace.serialization.LazyTraceReader;
import org.jetbrains.lincheck.trace.serialization.TracePackingKt;
import org.jetbrains.lincheck.trace.serialization.TraceMetaInfo;

/** The library's lazy reader: reads by the index, or makes its own if it must. */
final class LazyReader {
    /** Hands every point on as it was recorded. */
    private static final TracePostprocessor RAW = (reader, point) -> point;

    private LazyReader() {}

    /** What prints an open trace into a file. */
    @FunctionalInterface
    private interface Printer {
        void print(LazyTraceReader reader, String file, boolean verbose) throws Exception;
    }

    /** print-lazy DATA OUT verbose|short raw|folded */
    static Reply print(List<String> args) throws Exception {
        return print(args, (reader, file, verbose) -> TracePrintingKt.printPostProcessedTrace(file, reader, verbose));
    }

    /** print-tree DATA OUT verbose|short raw|folded */
    static Reply printTree(List<String> args) throws Exception {
        return print(args, TreePrinter::print);
    }

    /** Raw, this visits every container by its index cell, so a wrong cell cannot hide. */
    private static Reply print(List<String> args, Printer printer) throws Exception {
        Commands.expect(args, 4);
        boolean verbose = Commands.choice(args.get(2), "verbose", "short");
        boolean raw = Commands.choice(args.get(3), "raw", "folded");

        long start = System.nanoTime();
        try (LazyTraceReader reader = new LazyTraceReader(args.get(0), raw ? RAW : CompressingPostprocessor.INSTANCE)) {
            printer.print(reader, args.get(1), verbose);
        }
        return Reply.ok().with("ns", System.nanoTime() - start).withMemory();
    }

    /** open-lazy DATA */
    static Reply open(List<String> args) throws Exception {
        Commands.expect(args, 1);
        long start = System.nanoTime();
        try (LazyTraceReader reader = new LazyTraceReader(args.get(0), CompressingPostprocessor.INSTANCE)) {
            List<List<TRTracePoint>> threads = reader.readTopLevelTracePoints();
            long ns = System.nanoTime() - start;
            return Reply.ok()
                    .with("threads", threads.size())
                    .with("points", threads.stream().mapToInt(List::size).sum())
                    .with("ns", ns)
                    .withMemory();
        }
    }

    /** open-packed FILE */
    static Reply openPacked(List<String> args) throws Exception {
        Commands.expect(args, 1);
        String file = args.get(0);
        try (LazyTraceReader reader = new LazyTraceReader(file, RAW)) {
            Reply reply = Reply.ok()
                    .with("packed", TracePackingKt.isPackedTrace(file))
                    .with("threads", reader.readTopLevelTracePoints().size())
                    .with("diff", reader.isDiff())
                    .with("info", text(reader.getMetaInfo()));
            if (reader.isDiff()) {
                reply.with("info.left", text(reader.getDiffLeftTraceMetaInfo()))
                        .with("info.right", text(reader.getDiffRightTraceMetaInfo()))
                        .with("threadmap", reader.getDiffThreadMap())
                        .with("idmap", pairs(reader.getDiffEventIdMap()));
            }
            return reply;
        }
    }

    /** The info as the library would write it again. */
    private static String text(TraceMetaInfo info) {
        if (info == null) {
            return "";
        }
        StringBuilder text = new StringBuilder();
        info.print(text);
        return text.toString();
    }

    /** The number of event id pairs and the sums of both sides: the map can be long. */
    private static String pairs(List<Pair<Integer, Integer>> map) {
        if (map == null) {
            return "";
        }
        long left = 0;
        long right = 0;
        for (Pair<Integer, Integer> ids : map) {
            left += ids.getFirst();
            right += ids.getSecond();
        }
        return map.size() + " " + left + " " + right;
    }
}
