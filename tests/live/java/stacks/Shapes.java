// SPDX-License-Identifier: BSD-2-Clause
package stacks;

import java.util.function.IntBinaryOperator;
import java.util.function.LongConsumer;

/**
 * Frames of the interpreter and of compilers. Each shape runs often enough to be compiled, with an occasional hit from
 * the beginning: a branch that was never taken would be compiled to a trap, and its callers never be seen as compiled.
 */
public final class Shapes {
    public static final int ROUNDS = Integer.getInteger("stacks.rounds", 20_000);
    public static final int EVERY = Integer.getInteger("stacks.every", 40);
    static int sink;

    private Shapes() {
    }

    public static int leaf(long key, int i) {
        return i % EVERY == 0 ? Probe.hit(key) : i;
    }

    static void loop(IntBinaryOperator shape) {
        for (int i = 0; i < ROUNDS; i++)
            sink += shape.applyAsInt(i, i + 1);
    }

    // ---- inlined

    static int inline1(long key, int i) {
        return inline2(key, i) + 1;
    }

    private static int inline2(long key, int i) {
        int x = inline3(key, i);
        return x * 2;
    }

    private static int inline3(long key, int i) {
        if (i < 0)
            return 0;
        return inline4(key, i);
    }

    private static int inline4(long key, int i) {
        return leaf(key,
                i) ^ 5;
    }

    static void inlined(long key) {
        loop((i, j) -> inline1(key, i));
    }

    // ---- on-stack replacement: one call, a long loop, nested loops

    static void osr(long key) {
        int x = 0;
        for (int i = 0; i < ROUNDS * 10; i++) {
            x = x * 31 + i;
            if (i % (EVERY * 10) == 0)
                x += Probe.hit(key);
        }
        for (int i = 0; i < 100; i++)
            for (int j = 0; j < ROUNDS / 10; j++)
                if (j % (EVERY * 4) == 0)
                    x += leaf(key, i);
        sink += x;
    }

    // ---- recursion

    public static int down(long key, int n) {
        return n == 0 ? Probe.hit(key) : down(key, n - 1) + 1;
    }

    static int ping(long key, int n) {
        return n == 0 ? leaf(key, 0) : pong(key, n - 1) + 1;
    }

    static int pong(long key, int n) {
        return n == 0 ? leaf(key, 0) : ping(key, n - 1) * 3;
    }

    static void recursion(long key) {
        for (int i = 0; i < ROUNDS / EVERY; i++)
            sink += down(key, i % 90) + ping(key, i % 37);
    }

    /** Deeper than any requested depth. */
    static void deep(long key) {
        for (int i = 0; i < 30; i++)
            sink += down(key, 5000);
    }

    // ---- late-bound calls

    interface Shape {
        int area(long key, int i);

        default int twice(long key, int i) {
            return area(key, i) * 2;
        }
    }

    static class Square implements Shape {
        @Override
        public int area(long key, int i) {
            return leaf(key, i);
        }
    }

    static class Circle implements Shape {
        @Override
        public int area(long key, int i) {
            return leaf(key, i) * 3;
        }

        @Override
        public int twice(long key, int i) {
            return Shape.super.twice(key, i) + 1;
        }
    }

    static class Cube extends Square {
        @Override
        public int area(long key, int i) {
            return super.area(key, i) * 6;
        }
    }

    static void dispatch(long key) {
        Shape[] shapes = {new Square(), new Circle(), new Cube()};
        loop((i, j) -> shapes[i % 3].area(key, i) + shapes[j % 3].twice(key, i));
    }

    // ---- constructors, synchronized, exceptions

    static class Built {
        final int x;
        static long current;
        final int y = leaf(current, sink++);

        Built(long key, int i) {
            this(key, i, leaf(key, i));
        }

        Built(long key, int i, int x) {
            this.x = x + leaf(key, i);
        }
    }

    static class Tower extends Built {
        Tower(long key, int i) {
            super(key, leaf(key, i));
        }
    }

    static void constructors(long key) {
        Built.current = key;
        loop((i, j) -> new Built(key, i).x + new Tower(key, i).y);
    }

    static synchronized int locked(long key, int i) {
        return leaf(key, i);
    }

    static int monitor(Object lock, long key, int i) {
        synchronized (lock) {
            synchronized (Shapes.class) {
                return locked(key, i);
            }
        }
    }

    static void monitors(long key) {
        Object lock = new Object();
        loop((i, j) -> monitor(lock, key, i));
    }

    static int thrower(long key, int i) {
        if (i % EVERY == 0) {
            try {
                throw new IllegalStateException(Integer.toString(Probe.hit(key)));
            } finally {
                Probe.hit(key);
            }
        }
        return i;
    }

    static int through(long key, int i) {
        return thrower(key, i) + 1;
    }

    static int catcher(long key, int i) {
        try {
            return through(key, i);
        } catch (IllegalStateException e) {
            return Probe.hit(key);
        }
    }

    static int implicit(long key, int i) {
        try {
            int[] none = i % EVERY == 0 ? null : new int[1];
            return none[0];
        } catch (NullPointerException e) {
            return Probe.hit(key);
        }
    }

    static void exceptions(long key) {
        loop((i, j) -> catcher(key, i) + implicit(key, i));
    }

    static int overflow(int n) {
        return overflow(n + 1) + 1;
    }

    /** After a stack overflow the thread's stack is unchanged. */
    static void overflows(long key) {
        for (int i = 0; i < 3; i++) {
            try {
                sink += overflow(0);
            } catch (StackOverflowError e) {
                sink += down(key, 20);
            }
        }
    }

    // ---- deoptimised: a branch that was never taken

    static int trap(LongConsumer last, long key, boolean rare) {
        int x = trapInner(key, rare);
        last.accept(key);
        return x;
    }

    static int trapInner(long key, boolean rare) {
        return rare ? Probe.hit(key) + Probe.hit(key) : 1;
    }

    static void traps(long key) {
        LongConsumer[] last = {k -> sink++, k -> sink--, k -> sink += 2, Probe::hit};
        for (int i = 0; i < ROUNDS * 2; i++)
            sink += trap(last[i % 3], key, false);
        for (int i = 0; i < 50; i++)
            sink += trap(last[3], key, true);
    }

    /** Many combinations of arguments and locals, for frames of many sizes. */
    static long wide(long key, int i, double d, long l, float f, Object o, int a, int b, int c, int e) {
        long x = l + a, y = x * b, z = y ^ c;
        double w = d * f;
        Object[] many = {o, x, y, z, w};
        x += leaf(key, i);
        return x + y + z + (long) w + many.length + e;
    }

    static void wides(long key) {
        loop((i, j) -> (int) wide(key, i, i * 1.5, j, 2f, "o", i, j, i ^ j, i & j));
    }
}
