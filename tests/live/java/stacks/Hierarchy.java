// SPDX-License-Identifier: BSD-2-Clause
package stacks;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

/**
 * Callers that are deoptimised while they wait: compiled for the only loaded subclass, they are on the stack when a
 * second one is loaded. Each round loads the classes with a new loader.
 */
public final class Hierarchy {
    static int sink;

    private Hierarchy() {
    }

    abstract static class Base {
        abstract int size(int x);
    }

    static final class One extends Base {
        @Override
        int size(int x) {
            return x + 1;
        }
    }

    /** Has a factory: to check that a Two is a Base, the verifier of the caller would load it early. */
    static final class Two extends Base {
        static Base make() {
            return new Two();
        }

        @Override
        int size(int x) {
            return x + 2;
        }
    }

    static int outer(Base base, LongConsumer middle, long key, int x) {
        int y = inner(base, middle, key, base.size(x));
        return base.size(y);
    }

    static int inner(Base base, LongConsumer middle, long key, int x) {
        int y = base.size(x);
        middle.accept(key);
        return y + base.size(y);
    }

    /** Stays on the stack with its callers for a while: when they have returned, their code cannot be read. */
    static void loadSecond(long key) {
        Probe.hit(key);
        sink += new Two().size(1);
        Probe.hit(key);
        System.gc();
        Probe.hit(key);
        LockSupport.parkNanos(100_000_000);
    }

    public static void go(Long key) {
        Base base = new One();
        LongConsumer[] middles = {k -> sink++, k -> sink--, k -> sink += 2, Hierarchy::loadSecond};
        for (int i = 0; i < Shapes.ROUNDS; i++) {
            sink += outer(base, middles[i % 3], key, i);
            if (i % (Shapes.EVERY * 50) == 0)
                sink += outer(base, Probe::hit, key, i);
        }
        sink += outer(base, middles[3], key, 1);
        sink += outer(Two.make(), Probe::hit, key, 1);
    }
}
