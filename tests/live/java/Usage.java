// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;

/**
 * Usage DIR N COLD MEMORY KIND...: for each kind, a thread of that name calls methods with a known number of system
 * calls and page faults N times. COLD is a directory of one-page files that are not in memory, MEMORY a new file in a
 * file system in memory. The file `usage` has a line for each call, in the order in which the calls of a method began:
 *
 *   call KIND METHOD SYSCALLS SYSCALL_TIME MAJOR MINOR    -1: unknown
 *
 * Faults are the kernel's numbers for the thread before and after the call; a time is that of the one read, by the
 * program's clock.
 */
public class Usage {
    interface Calls {
        void run(int i) throws Exception;
    }

    private static final int PAGE = 4096, PAGES = 20, READS = 100, COLD = 4, COLD_CALLS = 40;
    private static final List<String> lines = new ArrayList<>();
    private static InputStream zero, pipe;
    private static OutputStream pipeEnd;
    private static MappedByteBuffer memory;
    private static final List<MappedByteBuffer> cold = new ArrayList<>();
    private static long took;
    private static volatile int asked, done;
    static volatile long sink;

    /** Each call is one system call: a FileInputStream has no buffer. */
    static void read(int n) throws IOException {
        for (int i = 0; i < n; i++)
            sink += zero.read();
    }

    static void readOnce() throws IOException {
        sink += zero.read();
    }

    static void block() throws IOException {
        long begin = System.nanoTime();
        asked++;
        sink += pipe.read();
        took = System.nanoTime() - begin;
    }

    static void touch(int first) {
        for (int i = 0; i < PAGES; i++)
            memory.put((first + i) * PAGE, (byte)1);
    }

    static void readCold(int first) {
        for (int i = 0; i < COLD; i++)
            sink += cold.get(first + i).get(0);
    }

    static void outer(int first) throws IOException {
        readOnce();
        read(5);
        touch(first);
        read(3);
        spin();
    }

    static void recursive(int depth) throws IOException {
        readOnce();
        if (depth > 1)
            recursive(depth - 1);
        readOnce();
    }

    static void spin() {
        for (int i = 0; i < 1000; i++)
            sink += i;
    }

    private static void call(String kind, String method, long calls, long time, long major, long minor) {
        lines.add(String.join("\t", "call", kind, method, "" + calls, "" + time, "" + major, "" + minor));
    }

    /** The kernel's counts for this thread: minor and major page faults (proc(5), stat, fields 10 and 12). */
    static final class Faults implements AutoCloseable {
        private final RandomAccessFile file = new RandomAccessFile("/proc/thread-self/stat", "r");
        private final byte[] before = new byte[1024], after = new byte[1024];

        Faults() throws IOException {
            begin();
        }

        void begin() throws IOException {
            read(before);
        }

        /** Since begin(): major, minor. */
        long[] end() throws IOException {
            read(after);
            return new long[] {field(after, 9) - field(before, 9), field(after, 7) - field(before, 7)};
        }

        private void read(byte[] text) throws IOException {
            file.seek(0);
            file.read(text);
        }

        private static long field(byte[] text, int i) {
            String s = new String(text, StandardCharsets.ISO_8859_1);
            return Long.parseLong(s.substring(s.lastIndexOf(')') + 2).split(" ")[i]);
        }

        public void close() throws IOException {
            file.close();
        }
    }

    private static void inReads(int i) throws IOException {
        read(READS);
        call("reads", "read", READS, -1, 0, -1);
    }

    /**
     * A real-time thread that keeps running after its calls without needing the kernel: frtrace finds the calls long
     * before the thread is descheduled.
     */
    private static void inAlone(int i) throws Exception {
        if (i == 0) {
            String thread = Paths.get("/proc/thread-self").toRealPath().getFileName().toString();
            new ProcessBuilder("chrt", "--fifo", "--pid", "1", thread).start().waitFor();
        }
        read(READS);
        call("alone", "read", READS, -1, 0, -1);
        for (long end = System.nanoTime() + 150_000_000; System.nanoTime() < end;)
            sink++;
    }

    private static void inBlock(int i) throws IOException {
        block();
        call("block", "block", 1, took, -1, -1);
    }

    private static void inNested(int i) throws IOException {
        outer(i * PAGES);
        call("nested", "outer", 9, -1, 0, PAGES);
        call("nested", "readOnce", 1, -1, 0, 0);
        call("nested", "read", 5, -1, 0, 0);
        call("nested", "touch", 0, 0, 0, PAGES);
        call("nested", "read", 3, -1, 0, 0);
        call("nested", "spin", 0, 0, 0, 0);
    }

    private static void inRecursive(int i) throws IOException {
        recursive(30);
        for (int depth = 30; depth > 0; depth--)
            call("recursive", "recursive", 2 * depth, -1, 0, -1);
    }

    private static void inMinor(int i) throws IOException {
        try (Faults faults = new Faults()) {
            faults.begin();
            touch(i * PAGES);
            long[] f = faults.end();
            call("minor", "touch", 0, 0, f[0], f[1]);
        }
    }

    private static void inMajor(int i) throws IOException {
        try (Faults faults = new Faults()) {
            faults.begin();
            readCold(COLD * i);
            long[] f = faults.end();
            call("major", "readCold", 0, 0, f[0], f[1]);
        }
    }

    /** Busy threads. Most wait for a CPU when frtrace finds their call. */
    private static void inCrowd(int i) throws IOException {
        read(3);
        for (long end = System.nanoTime() + 40_000_000; System.nanoTime() < end;)
            sink++;
    }

    /** Each call of recursive() has a different stack: the agent stores it, and those of the calls in it. */
    private static void left(int way, int steps) throws IOException {
        way(way, steps);
    }

    private static void right(int way, int steps) throws IOException {
        way(way, steps);
    }

    private static void way(int way, int steps) throws IOException {
        if (steps == 0)
            recursive(2);
        else if (way % 2 == 0)
            left(way / 2, steps - 1);
        else
            right(way / 2, steps - 1);
    }

    private static void inNew(int i) throws IOException {
        way(i, 30);
        call("new", "recursive", 4, -1, 0, 0);
        call("new", "recursive", 2, -1, 0, 0);
    }

    private static void inVirtual(int i) throws IOException {
        read(READS);
        call("virtual", "read", Long.MIN_VALUE, Long.MIN_VALUE, Long.MIN_VALUE, Long.MIN_VALUE);
    }

    private static void feedPipe(int n) throws Exception {
        for (int i = 0; i < n; i++) {
            while (asked == done)
                Thread.yield();
            done++;
            Thread.sleep(3);
            pipeEnd.write(1);
        }
    }

    private static void repeat(Calls calls, int n) throws Exception {
        for (int i = 0; i < n; i++)
            calls.run(i);
    }

    private static void run(String kind, int n, Calls calls) throws Exception {
        Cast.start(kind, () -> repeat(calls, n)).join();
    }

    private static void runCrowd(int n) throws Exception {
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.length; i++)
            threads[i] = Cast.start("crowd", () -> repeat(Usage::inCrowd, n));
        for (Thread t : threads)
            t.join();
        for (int i = 0; i < threads.length * n; i++)
            call("crowd", "read", 3, -1, 0, -1);
    }

    private static void runVirtual(int n) throws Exception {
        Cast.startVirtual("", () -> repeat(Usage::inVirtual, n)).join();
    }

    private static void runBlock(Stage stage, int n) throws Exception {
        String fifo = stage.file("fifo").toString();
        new ProcessBuilder("mkfifo", fifo).start().waitFor();
        try (RandomAccessFile both = new RandomAccessFile(fifo, "rw")) {
            pipe = new java.io.FileInputStream(fifo);
            pipeEnd = new java.io.FileOutputStream(fifo);
            Thread feeder = Cast.start("feeder", () -> feedPipe(n));
            run("block", n, Usage::inBlock);
            feeder.join();
        }
    }

    private static void run(Stage stage, String kind, int n) throws Exception {
        switch (kind) {
        case "reads": run(kind, n, Usage::inReads); break;
        case "alone": run(kind, 6, Usage::inAlone); break;
        case "block": runBlock(stage, n); break;
        case "nested": run(kind, n, Usage::inNested); break;
        case "recursive": run(kind, n, Usage::inRecursive); break;
        case "minor": run(kind, n, i -> inMinor(n + i)); break;
        case "major": run(kind, COLD_CALLS, Usage::inMajor); break;
        case "crowd": runCrowd(10); break;
        case "new": run(kind, 100, Usage::inNew); break;
        case "virtual": runVirtual(n); break;
        default:
            throw new IllegalArgumentException(kind);
        }
    }

    private static MappedByteBuffer map(String name, String mode, FileChannel.MapMode how, long size) throws IOException {
        try (RandomAccessFile f = new RandomAccessFile(name, mode)) {
            return f.getChannel().map(how, 0, size);
        }
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int n = Integer.parseInt(args[1]);
        zero = new java.io.FileInputStream("/dev/zero");
        for (int i = 0; i < COLD * COLD_CALLS; i++)
            cold.add(map(args[2] + "/" + i, "r", FileChannel.MapMode.READ_ONLY, PAGE));
        memory = map(args[3], "rw", FileChannel.MapMode.READ_WRITE, 2L * n * PAGES * PAGE);
        stage.awaitGo();
        for (int i = 4; i < args.length; i++)
            run(stage, args[i], n);
        stage.write("usage", String.join("\n", lines) + "\n");
        stage.finish();
    }
}
