// SPDX-License-Identifier: BSD-2-Clause
package stacks;

/** The traced method: each call gives one event, and one record of each oracle. */
public final class Probe {
    private Probe() {
    }

    public static int hit(long key) {
        return Oracle.record(key);
    }
}
