// SPDX-License-Identifier: BSD-2-Clause
package stacks;

/** Loaders copies it under other names, T001 and so on: classes of the same shape, for memory that is reused. */
public final class ChurnT000 {
    private ChurnT000() {
    }

    static int firstT000(long key, int i) {
        return i % 7 == 3 ? secondT000(key, i) + 1 : secondT000(key, i);
    }

    static int secondT000(long key, int i) {
        int x = i * 31;
        return thirdT000(key, i) + x;
    }

    static int thirdT000(long key, int i) {
        return i % 40 == 0 ? Probe.hit(key) : i;
    }

    public static Integer goT000(Long key, Integer rounds) {
        int x = 0;
        for (int i = 0; i < rounds; i++)
            x += firstT000(key, i);
        return x;
    }
}
