// SPDX-License-Identifier: BSD-2-Clause
package stacks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/** Virtual threads that leave their carrier with 3 to 60 frames, continue on another, and make their calls there. */
final class Virtual {
    private static final int THREADS = Integer.getInteger("stacks.virtual", 100), HEAPED = Integer.getInteger("stacks.heaped", 3);

    private Virtual() {
    }

    static void list() {
        Main.SCENARIOS.put("parked", Virtual::parked);
        Main.SCENARIOS.put("heaped", Virtual::heaped);
        Main.SCENARIOS.put("queued", Virtual::queued);
        Main.SCENARIOS.put("pinned", Virtual::pinned);
        Main.SCENARIOS.put("executor", Virtual::executor);
    }

    private interface Pause {
        void run(int i) throws InterruptedException;
    }

    /** Makes calls at the bottom after a pause, and calls on the way back up, where fewer frames were thawed. */
    private static int down(long key, Pause pause, int n) throws InterruptedException {
        if (n > 0) {
            int x = down(key, pause, n - 1);
            if (n % 8 == 0)
                x += Probe.hit(key);
            return x;
        }
        int x = Probe.hit(key);
        for (int i = 0; i < 5; i++) {
            pause.run(i);
            x += Probe.hit(key);
        }
        return x;
    }

    private static void all(long key, Pause pause, int rounds) throws InterruptedException {
        all(key, pause, rounds, 0, 58);
    }

    /** In threads of which each has its depth, below `most`. */
    private static void all(long key, Pause pause, int rounds, int least, int most) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            int depth = least + t * 7 % (most - least);
            threads.add(Thread.ofVirtual().name("virtual-" + t).start(() -> {
                try {
                    for (int i = 0; i < rounds; i++)
                        down(key, pause, depth);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }));
        }
        for (Thread thread : threads)
            thread.join();
    }

    static void parked(long key) throws InterruptedException {
        all(key, i -> LockSupport.parkNanos(10_000), 5);
        all(key, i -> Thread.yield(), 10);
        all(key, i -> Thread.sleep(1), 2);
    }

    /** A thread that comes back with more than 4 KB of frames gets only the newest of them from the heap. */
    static void heaped(long key) throws InterruptedException {
        all(key, i -> Thread.yield(), HEAPED, 60, 200);
        all(key, i -> LockSupport.parkNanos(10_000), 2, 60, 1000);
    }

    static void queued(long key) throws InterruptedException {
        BlockingQueue<Integer> there = new ArrayBlockingQueue<>(1), back = new ArrayBlockingQueue<>(1);
        Thread echo = Thread.ofVirtual().start(() -> {
            try {
                for (int x; (x = there.take()) >= 0;) {
                    Probe.hit(key);
                    back.put(x);
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        Thread.ofVirtual().start(() -> {
            try {
                for (int i = 0; i < 100; i++)
                    down(key, x -> {
                        there.put(x);
                        back.take();
                    }, i % 50);
                there.put(-1);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }).join();
        echo.join();
    }

    /** A native frame, and up to JDK 23 a monitor, pins the thread to its carrier. */
    static void pinned(long key) throws InterruptedException {
        Object lock = new Object();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 20; t++) {
            int depth = t;
            threads.add(Thread.ofVirtual().start(() -> {
                for (int i = 0; i < 10; i++) {
                    pinnedBy(() -> quietly(key, depth));
                    synchronized (lock) {
                        quietly(key, depth);
                    }
                }
            }));
        }
        for (Thread thread : threads)
            thread.join();
    }

    private static void pinnedBy(Runnable task) {
        if (Oracle.has(2))
            Native.run(task);
        else
            task.run();
    }

    private static void quietly(long key, int depth) {
        try {
            down(key, i -> LockSupport.parkNanos(1000), depth);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void executor(long key) throws Exception {
        try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 200; i++) {
                int n = i % 30;
                pool.submit(() -> {
                    Thread.sleep(1);
                    return Shapes.down(key, n);
                });
            }
        }
        ThreadLocal<Integer> local = ThreadLocal.withInitial(() -> Probe.hit(key));
        for (int i = 0; i < 50; i++)
            Thread.ofVirtual().start(local::get).join();
    }
}
