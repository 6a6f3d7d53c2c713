package tracex.interop;

import java.util.List;

/** One thing that the driver can be asked to do. */
@FunctionalInterface
interface Command {
    /** Runs with the words behind the command's name; what it throws becomes the answer. */
    Reply run(List<String> args) throws Exception;
}
