// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** Deep DIR ROUNDS: cause StackOverflowErrors while taking locks, and check the state of the locks afterwards. */
public class Deep {
    static int plain(int x, ConcurrentHashMap<Integer, Integer> map) {
        map.put(x & 63, x);
        return plain(x + 1, map) + 1;
    }

    static int locked(ReentrantLock lock, int x) {
        lock.lock();
        try {
            return locked(lock, x + 1) + 1;
        } finally {
            lock.unlock();
        }
    }

    static synchronized int monitor(Object o, int x) {
        synchronized (o) {
            return monitor(o, x + 1) + 1;
        }
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int rounds = Integer.parseInt(args[1]), left = 0, overflows = 0, free = 0;
        stage.awaitGo();
        for (int i = 0; i < rounds; i++) {
            ReentrantLock lock = new ReentrantLock();
            Object o = new Object();
            ConcurrentHashMap<Integer, Integer> map = new ConcurrentHashMap<>();
            Runnable[] dives = {() -> plain(0, map), () -> locked(lock, 0), () -> monitor(o, 0)};
            for (Runnable dive : dives) {
                try {
                    dive.run();
                } catch (StackOverflowError e) {
                    overflows++;
                } catch (IllegalMonitorStateException e) { // unlock() overflowed, as it does untraced
                    overflows++;
                }
            }
            left += lock.isLocked() ? 1 : 0;
            free += Thread.holdsLock(o) || Thread.holdsLock(Deep.class) ? 0 : 1;
            map.put(1, 1);
        }
        System.out.println("deep: " + overflows + " overflows, " + free + " monitors free");
        stage.write("left", left + "\n");
        stage.finish();
    }
}
