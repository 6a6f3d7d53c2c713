package tracex.interop;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Runs Lincheck's own trace reader for the tests of tracex.
 *
 * <p>Without arguments it reads commands from standard input, one a line, and
 * answers each with one line on standard output, until the input ends. With
 * arguments they are the only command: for measurements, which want a process of
 * their own. {@link Commands} lists the commands, {@link Reply} the form of an
 * answer. Fields of a line are separated by tabs.
 */
public final class Driver {
    private final ReaderLog log;
    private final PrintStream answers;

    private Driver(ReaderLog log, PrintStream answers) {
        this.log = log;
        this.answers = answers;
    }

    public static void main(String[] args) throws IOException {
        // The library keeps the error stream that it finds when it is loaded, so
        // this comes before anything of the library is touched.
        ReaderLog log = ReaderLog.capture();
        PrintStream answers = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        // Standard output carries answers alone, whatever the library prints.
        System.setOut(System.err);

        Driver driver = new Driver(log, answers);
        if (args.length > 0) {
            driver.answer(List.of(args));
        } else {
            driver.serve();
        }
    }

    private void serve() throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            answer(List.of(line.split("\t", -1)));
        }
    }

    private void answer(List<String> words) {
        Reply reply;
        try {
            Command command = Commands.named(words.get(0));
            reply = DeepStack.call(() -> command.run(words.subList(1, words.size())));
        } catch (Throwable t) {
            // Also an Error: a stack overflow or an exhausted heap on one trace
            // must not cost the answers for all that follow.
            reply = Reply.error(t);
        }
        answers.println(reply.line(log.take()));
    }
}
