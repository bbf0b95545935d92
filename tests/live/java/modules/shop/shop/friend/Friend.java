// SPDX-License-Identifier: BSD-2-Clause
package shop.friend;

import java.util.function.Consumer;

public class Friend implements Consumer<Runnable> {
    @Override
    public void accept(Runnable next) {
        next.run();
    }
}
