package tracex.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The memory of this process, as Linux counts it. */
final class ProcessMemory {
    private ProcessMemory() {}

    /** Returns the peak resident memory in bytes. */
    static long peak() {
        return field("VmHWM:");
    }

    /** Returns the resident memory, in bytes, that is of no file: the heap above all. */
    static long anonymous() {
        return field("RssAnon:");
    }

    /** Returns -1 where the system does not tell. */
    private static long field(String name) {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith(name)) {
                    String kib = line.substring(name.length()).replace("kB", "").strip();
                    return Long.parseLong(kib) << 10;
                }
            }
        } catch (IOException e) {
            return -1;
        }
        return -1;
    }
}
