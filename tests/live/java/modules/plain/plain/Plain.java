// SPDX-License-Identifier: BSD-2-Clause
package plain;

import java.util.function.Consumer;

public class Plain implements Consumer<Runnable> {
    @Override
    public void accept(Runnable next) {
        next.run();
    }
}
