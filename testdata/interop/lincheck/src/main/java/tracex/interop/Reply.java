package tracex.interop;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The answer to a command, one line:
 *
 * <pre>
 * ok     NAME=VALUE ... log=TEXT
 * error  class=NAME message=TEXT log=TEXT
 * </pre>
 *
 * Fields are separated by tabs; in a value, {@code \\ \t \n \r} stand for those
 * characters. {@code log} is what the library said on its error stream.
 */
final class Reply {
    private final String verdict;
    private final Map<String, String> fields = new LinkedHashMap<>();

    private Reply(String verdict) {
        this.verdict = verdict;
    }

    static Reply ok() {
        return new Reply("ok");
    }

    static Reply error(Throwable t) {
        return new Reply("error").with("class", t.getClass().getName()).with("message", t.getMessage());
    }

    Reply with(String name, Object value) {
        fields.put(name, String.valueOf(value));
        return this;
    }

    /** Adds the resident memory of the process, in bytes: its peak, and what of it is of no file now. */
    Reply withMemory() {
        return with("peak-bytes", ProcessMemory.peak()).with("own-bytes", ProcessMemory.anonymous());
    }

    String line(String log) {
        StringBuilder line = new StringBuilder(verdict);
        with("log", log).fields.forEach((name, value) ->
                line.append('\t').append(name).append('=').append(escape(value)));
        return line.toString();
    }

    private static String escape(String value) {
        return value.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r");
    }
}
