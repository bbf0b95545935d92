// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.Reference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The protocol between a test program and its script: files in a directory. The program makes `ready`, waits for `go`,
 * makes its calls, writes what it knows into `truth`, makes `done`, and ends when `quit` exists.
 */
final class Stage {
    private final Path directory;
    private final List<String> truth = new ArrayList<>();

    Stage(String directory) {
        this.directory = new java.io.File(directory).toPath();
    }

    void awaitGo() {
        mark("ready");
        await("go");
    }

    /** N calls of this method gave N events; `thrown` of them ended with an exception. "*" matches anything. */
    void expect(String type, String method, long events, long thrown) {
        expect(type, method, "*", "*", "*", events, thrown);
    }

    void expect(String type, String method, String descriptor, String thread, String loader, long events, long thrown) {
        truth.add(String.join("\t", "count", type, method, descriptor, thread, loader, "" + events, "" + thrown));
    }

    /** This many calls of this method; none threw. */
    void expectAbout(String type, String method, String descriptor, long least, long most) {
        truth.add(String.join("\t", "count", type, method, descriptor, "*", "*", least + ".." + most, "0"));
    }

    /** Every event of this method has this caller, CLASS.METHOD, on top of its stack. */
    void expectCaller(String type, String method, String caller) {
        truth.add(String.join("\t", "caller", type, method, caller));
    }

    /** Ignore events of this method that no line counts; "*" is every method of the class. */
    void allow(String type, String method) {
        truth.add(String.join("\t", "allow", type, method));
    }

    /** This many threads, each with this many events of the method, and a name. */
    void expectThreads(String type, String method, int threads, long each) {
        truth.add(String.join("\t", "threads", type, method, "" + threads, "" + each));
    }

    /** The events of this method, in order, began between the pairs of nanoTime values in this file. */
    void expectBetween(String type, String method, String file) {
        truth.add(String.join("\t", "between", type, method, directory.resolve(file).toString()));
    }

    /** How long each call took, measured inside and around it, in ns: pairs in this file. */
    void expectStamps(String type, String method, String file) {
        truth.add(String.join("\t", "stamps", type, method, directory.resolve(file).toString()));
    }

    String truth() {
        return String.join("\n", truth) + "\n";
    }

    void forget() {
        truth.clear();
    }

    void finish() {
        write("truth", truth());
        mark("done");
        await("quit");
    }

    Path file(String name) {
        return directory.resolve(name);
    }

    boolean has(String name) {
        return directory.resolve(name).toFile().exists();
    }

    void mark(String name) {
        write(name, "");
    }

    void write(String name, String text) {
        try {
            Path whole = directory.resolve("." + name);
            Files.write(whole, text.getBytes("UTF-8"));
            Files.move(whole, directory.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Makes `collected` once the garbage collector has found that nobody refers to any of them. */
    void markCollected(List<? extends Reference<?>> all) {
        while (all.stream().anyMatch(r -> r.get() != null)) {
            sleep(100);
            System.gc();
        }
        mark("collected");
    }

    void await(String name) {
        while (!has(name))
            sleep(5);
    }

    static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
