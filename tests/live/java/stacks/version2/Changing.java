// SPDX-License-Identifier: BSD-2-Clause
package stacks;

/** The second version: the same methods with other lines and other code. */
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
        int x = twice(i);
        if (x < 0)
            return 0;
        x += inner(key, change, i);
        x += Probe.hit(key);
        x += twice(x);
        return x + inner(key, change, i + 1);
    }

    static int inner(long key, Runnable change, int i) {
        int x = twice(twice(i));
        change.run();
        return x + Shapes.leaf(key,
                i * Shapes.EVERY);
    }

    static int hot(long key, int i) {
        int x = twice(i);
        return same(key, i) + x;
    }
}
