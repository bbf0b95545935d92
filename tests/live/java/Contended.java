// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.util.concurrent.atomic.AtomicInteger;

/** In each round the keeper has a monitor for some time, while all others want it. */
public class Contended {
    private static final Object MONITOR = new Object();
    private static final AtomicInteger asked = new AtomicInteger(), entered = new AtomicInteger();
    private static volatile int round = -1;

    static void keep(int n, Thread[] others, long milliseconds) throws InterruptedException {
        synchronized (MONITOR) {
            round = n;
            for (Thread t : others)
                while (asked.get() < (n + 1) * others.length || t.getState() != Thread.State.BLOCKED)
                    Thread.sleep(1);
            Thread.sleep(milliseconds);
        }
    }

    static void want() {
        asked.incrementAndGet();
        synchronized (MONITOR) {
            entered.incrementAndGet();
        }
    }

    /** DIRECTORY ROUNDS MILLISECONDS WAITERS [virtual] */
    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[1]), waiters = Integer.parseInt(arguments[3]);
        long milliseconds = Long.parseLong(arguments[2]);
        Stage stage = new Stage(arguments[0]);
        Thread[] all = new Thread[waiters];
        stage.awaitGo();
        for (int i = 0; i < waiters; i++) {
            Cast.Body body = () -> {
                for (int n = 0; n < rounds; n++) {
                    while (round < n)
                        Thread.sleep(1);
                    want();
                }
            };
            all[i] = arguments.length > 4 ? Cast.startVirtual("want-" + i, body) : Cast.start("want-" + i, body);
        }
        for (int n = 0; n < rounds; n++) {
            keep(n, all, milliseconds);
            while (entered.get() < (n + 1) * waiters)
                Thread.sleep(1);
        }
        for (Thread t : all)
            t.join();
        stage.expect("live.Contended", "keep", rounds, 0);
        stage.expect("live.Contended", "want", rounds * waiters, 0);
        stage.finish();
    }
}
