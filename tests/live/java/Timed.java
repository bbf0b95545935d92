// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntUnaryOperator;

/**
 * Timed DIR calls|stamps|virtual|intrinsics N...: calls of methods that count themselves or measure their own time.
 * None is called before `go`, so a recording has every call.
 */
public class Timed {
    static final class Work {
        static int returns(int x) {
            return x * 31 + 7;
        }

        static int throwsEach(int x, int each) {
            if (x % each == 0)
                throw new IllegalStateException("one of " + each);
            return x;
        }

        /** The exception comes from a callee and leaves every method on the way. */
        static int passes(int x, int each) {
            return throwsEach(x, each) + 1;
        }

        static int recurses(int depth) {
            return depth == 0 ? 0 : recurses(depth - 1) + 1;
        }

        static int over(int x) {
            return x;
        }

        static long over(long x) {
            return x + 1;
        }

        static int never(int x) {
            return x;
        }
    }

    static int sink;

    static void calls(Stage stage, int n) throws Exception {
        IntUnaryOperator[] copies = {Places.copy("one"), Places.copy("two")};
        long[] thrown = new long[4];
        stage.awaitGo();
        for (int i = 0; i < n; i++) {
            sink += Work.returns(i) + Work.over(i) + (int) Work.over((long) i) + (int) Work.over(2L * i);
            thrown[0] += caught(x -> Work.throwsEach(x, 3), i);
            thrown[1] += caught(x -> Work.passes(x, 2), i);
            thrown[2] += caught(copies[0], i);
            thrown[3] += caught(copies[1], i) + caught(copies[1], i + 1);
        }
        for (int i = 0; i < n / 100; i++)
            sink += Work.recurses(99);
        String work = Work.class.getName();
        stage.expect(work, "returns", n, 0);
        stage.expect(work, "throwsEach", 2 * n, thrown[0] + thrown[1]);
        stage.expect(work, "passes", n, thrown[1]);
        stage.expect(work, "recurses", n / 100 * 100, 0);
        stage.expect(work, "over", "(I)I", "*", "*", n, 0);
        stage.expect(work, "over", "(J)J", "*", "*", 2 * n, 0);
        stage.expect(work, "never", 0, 0);
        stage.expect(work, "<init>", 0, 0);
        stage.expect("live.Copy", "work", "*", "*", "one", n, thrown[2]);
        stage.expect("live.Copy", "work", "*", "*", "two", 2 * n, thrown[3]);
    }

    static int caught(IntUnaryOperator work, int x) {
        try {
            sink += work.applyAsInt(x);
            return 0;
        } catch (IllegalStateException e) {
            return 1;
        }
    }

    /** Waits that long in a busy loop, and stores the time measured inside. */
    static long waits(long ns) {
        long start = System.nanoTime(), now;
        do {
            now = System.nanoTime();
        } while (now - start < ns);
        return now - start;
    }

    /** From 2 us to 2 ms, each power of two equally often. The file gets pairs: time inside the call and around it. */
    static void stamps(Stage stage, int n) throws Exception {
        Random random = new Random(7);
        ByteBuffer pairs = ByteBuffer.allocate(16 * n);
        stage.awaitGo();
        for (int i = 0; i < n; i++) {
            long ns = (long) (2000 * Math.pow(1000, random.nextDouble())), before = System.nanoTime();
            pairs.putLong(waits(ns));
            pairs.putLong(System.nanoTime() - before);
        }
        Files.write(stage.file("stamps"), pairs.array());
        stage.expect("live.Timed", "waits", n, 0);
        stage.expectStamps("live.Timed", "waits", "stamps");
    }

    static final LongAdder moved = new LongAdder(), thrown = new LongAdder();

    /** "VirtualThread[#22,virtual-1]/runnable@ForkJoinPool-1-worker-1" */
    static String carrier() {
        String name = Thread.currentThread().toString();
        return name.substring(name.lastIndexOf('@') + 1);
    }

    /** The thread parks within the call, so it may end on a different carrier. */
    static int parks(int x) {
        String carrier = carrier();
        Stage.sleep(1);
        if (!carrier.equals(carrier()))
            moved.increment();
        if (x % 3 == 0)
            throw new IllegalStateException("one of three");
        return x + 1;
    }

    static int between(int x) {
        return x * 31 + 7;
    }

    static void virtual(Stage stage, int threads, int n) throws Exception {
        stage.awaitGo();
        Threads.virtual(threads, () -> {
            int x = System.identityHashCode(Thread.currentThread());
            for (int i = 0; i < n; i++)
                thrown.add(caught(Timed::parks, between(x + i)));
        });
        System.out.println("moved: " + moved.sum());
        stage.expect("live.Timed", "parks", (long) threads * n, thrown.sum());
        stage.expect("live.Timed", "between", (long) threads * n, 0);
    }

    /** The JVM calls the two JDK methods, too, but rarely; the JIT replaces calls of them. */
    static void intrinsics(Stage stage, int n) {
        stage.awaitGo();
        int x = 1;
        for (int i = 0; i < n; i++)
            x = between(Math.max(x, Integer.bitCount(x)));
        sink = x;
        stage.expectAbout("java.lang.Math", "max", "(II)I", 1, n + 100_000);
        stage.expectAbout("java.lang.Integer", "bitCount", "(I)I", 1, n + 100_000);
        stage.expect("live.Timed", "between", n, 0);
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int n = Integer.parseInt(args[2]);
        new Work();
        switch (args[1]) {
        case "calls": calls(stage, n); break;
        case "stamps": stamps(stage, n); break;
        case "intrinsics": intrinsics(stage, n); break;
        default: virtual(stage, n, Integer.parseInt(args[3]));
        }
        stage.finish();
    }
}
