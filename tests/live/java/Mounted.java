// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Mounted DIR N: calls of in*() that wait in all the ways in which a virtual thread leaves its carrier, keeps it or
 * shares it. N calls of each kind are made by a virtual thread v-KIND and by a platform thread p-KIND.
 */
public class Mounted {
    private static final ReentrantLock LOCK = new ReentrantLock();
    static volatile long sink;

    static void inSleep() throws Exception {
        Thread.sleep(2);
    }

    static void inPark() {
        LockSupport.parkNanos(2_000_000);
    }

    /** Keeps the carrier, up to JDK 23. */
    static void inMonitor() throws Exception {
        synchronized (new Object()) {
            Thread.sleep(2);
        }
    }

    static void inLock() throws Exception {
        LOCK.lock();
        try {
            Thread.sleep(2);
        } finally {
            LOCK.unlock();
        }
    }

    static void inBusy() {
        long end = System.nanoTime() + 2_000_000, n = 0;
        while (System.nanoTime() < end)
            n++;
        sink = n;
    }

    private static Cast.Body calls(int n, Cast.Body call) {
        return () -> {
            for (int i = 0; i < n; i++)
                call.run();
        };
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int n = Integer.parseInt(args[1]);
        List<String> kinds = Arrays.asList("sleep", "park", "monitor", "lock", "busy");
        Cast.Body[] calls = {Mounted::inSleep, Mounted::inPark, Mounted::inMonitor, Mounted::inLock, Mounted::inBusy};
        List<Thread> threads = new ArrayList<>();

        stage.awaitGo();
        for (int i = 0; i < calls.length; i++) {
            threads.add(Cast.virtual("v-" + kinds.get(i), calls(n, calls[i])));
            threads.add(new Thread(Cast.of(calls(n, calls[i])), "p-" + kinds.get(i)));
        }
        threads.forEach(Thread::start);
        for (Thread t : threads)
            t.join();
        stage.finish();
    }
}
