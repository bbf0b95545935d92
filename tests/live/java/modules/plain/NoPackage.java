// SPDX-License-Identifier: BSD-2-Clause
import java.util.function.Consumer;

public class NoPackage implements Consumer<Runnable> {
    @Override
    public void accept(Runnable next) {
        next.run();
    }
}
