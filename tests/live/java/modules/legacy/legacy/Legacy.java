// SPDX-License-Identifier: BSD-2-Clause
package legacy;

import java.util.function.Consumer;

public class Legacy implements Consumer<Runnable> {
    @Override
    public void accept(Runnable next) {
        next.run();
    }
}
