// SPDX-License-Identifier: BSD-2-Clause
package stock;

import java.util.function.Consumer;

public class Stock implements Consumer<Runnable> {
    @Override
    public void accept(Runnable next) {
        next.run();
    }
}
