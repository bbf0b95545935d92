// SPDX-License-Identifier: BSD-2-Clause
package stacks;

/** The first version, redefined to the one of version2 and back while it runs. */
public final class Changing {
    private Changing() {
    }

    /** The same code on the same line in both versions: the JVM may take either for the other. */
    static int same(long key, int i) {
        return Shapes.leaf(key, i);
    }

    private static int twice(int x) {
        return x + x;
    }

    static int outer(long key, Runnable change, int i) {
        int x = inner(key, change, i);
        x += Probe.hit(key);
        return x + inner(key, change, i + 1);
    }

    static int inner(long key, Runnable change, int i) {
        change.run();
        return Shapes.leaf(key, i * Shapes.EVERY);
    }

    static int hot(long key, int i) {
        return same(key, i) + 1;
    }
}
