package tracex.interop;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * What the library says on the error stream. That is the only place where its lazy
 * reader tells that it did not take an index.
 */
final class ReaderLog {
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();

    private ReaderLog() {}

    /** Takes over the error stream of the process. */
    static ReaderLog capture() {
        ReaderLog log = new ReaderLog();
        System.setErr(new PrintStream(log.said, true, StandardCharsets.UTF_8));
        return log;
    }

    /** Returns what was said since the last call. */
    String take() {
        String text = said.toString(StandardCharsets.UTF_8);
        said.reset();
        return text;
    }
}
