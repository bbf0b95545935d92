// SPDX-License-Identifier: BSD-2-Clause
package stacks;

import java.lang.ref.Cleaner;
import java.util.concurrent.CountDownLatch;

/** Calls on the JDK's cleaner thread when an object is unreachable, and on a cleaner thread of the program. */
final class Cleaners {
    private static final Cleaner CLEANER = Cleaner.create();

    private Cleaners() {
    }

    static void list() {
        Main.SCENARIOS.put("cleaners", Cleaners::clean);
    }

    private static void register(Runnable action) {
        CLEANER.register(new Object(), action);
    }

    static void clean(long key) throws InterruptedException {
        CountDownLatch left = new CountDownLatch(50);
        for (int i = 0; i < 50; i++)
            register(() -> {
                Probe.hit(key);
                left.countDown();
            });
        while (left.getCount() > 0) {
            System.gc();
            Thread.sleep(20);
        }
        for (int i = 0; i < 50; i++)
            CLEANER.register(key, () -> Probe.hit(key)).clean();
    }
}
