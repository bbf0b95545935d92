// SPDX-License-Identifier: BSD-2-Clause
package secret.api;

import java.util.function.IntUnaryOperator;

public class Door implements IntUnaryOperator {
    @Override
    public int applyAsInt(int x) {
        return secret.inner.Hidden.work(x);
    }
}
