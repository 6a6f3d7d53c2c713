package tracex.interop;

import java.util.List;
import java.util.Map;

/**
 * The commands by name, with their arguments:
 *
 * <pre>
 * print-eager DATA OUT verbose|short               every point as recorded, by the eager loader
 * print-lazy  DATA OUT verbose|short raw|folded    the same through the lazy reader
 * print-tree  DATA OUT verbose|short raw|folded    the same, by {@link TreePrinter}: all top-level points
 * open-lazy   DATA                                 opens, and counts top-level points
 * open-packed FILE                                 opens a packed trace, and tells what is in it
 * </pre>
 *
 * DATA is a data file or a packed trace. The lazy reader takes the index from
 * DATA.idx, if there is one.
 */
final class Commands {
    private static final Map<String, Command> BY_NAME = Map.of(
            "print-eager", EagerReader::print,
            "print-lazy", LazyReader::print,
            "print-tree", LazyReader::printTree,
            "open-lazy", LazyReader::open,
            "open-packed", LazyReader::openPacked);

    private Commands() {}

    static Command named(String name) {
        Command command = BY_NAME.get(name);
        if (command == null) {
            throw new IllegalArgumentException("no command " + name);
        }
        return command;
    }

    /** Checks the number of arguments, so that a slip in a test reads as one. */
    static void expect(List<String> args, int count) {
        if (args.size() != count) {
            throw new IllegalArgumentException(count + " arguments expected, found " + args);
        }
    }

    /** One of two words: true for the first. */
    static boolean choice(String word, String yes, String no) {
        if (!word.equals(yes) && !word.equals(no)) {
            throw new IllegalArgumentException(yes + " or " + no + " expected, found " + word);
        }
        return word.equals(yes);
    }
}
