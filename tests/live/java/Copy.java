// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.util.function.IntUnaryOperator;

/** Several loaders load this class at the same time. */
public class Copy implements IntUnaryOperator {
    @Override
    public int applyAsInt(int x) {
        return work(x);
    }

    static int work(int x) {
        if (x % 2 == 0)
            throw new IllegalStateException("even");
        return x;
    }
}
