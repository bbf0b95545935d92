// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Parked DIR N: N virtual threads wait once each in a traced call, at one of three lines. Each was unmounted before, with many
 * frames, so most of its frames are still in the heap. "main" ends the waits; only the lock is handed on by the threads.
 */
public class Parked {
    private static final int BATCH = 20, FRAMES = 80;
    private static final ReentrantLock LOCK = new ReentrantLock();
    private static final BlockingQueue<Integer> QUEUE = new ArrayBlockingQueue<>(BATCH);
    private static volatile boolean mayGo;
    private static int handed;

    static void inPark() {
        while (!mayGo)
            LockSupport.park();
    }

    static int inQueue() throws InterruptedException {
        return QUEUE.take();
    }

    static void inLock() {
        LOCK.lock();
        try {
            handed++;
        } finally {
            LOCK.unlock();
        }
    }

    private static void down(int frames, Cast.Body call) throws Exception {
        if (frames > 0) {
            down(frames - 1, call);
            return;
        }
        Thread.sleep(1);
        call.run();
    }

    private static boolean isWaiting(Thread t) {
        return t.getState() == Thread.State.WAITING;
    }

    private static void batch(int first) throws Exception {
        List<Thread> threads = new ArrayList<>();
        mayGo = false;
        LOCK.lock();
        for (int i = first; i < first + BATCH; i++) {
            threads.add(Cast.virtual("park-" + i, () -> down(FRAMES, Parked::inPark)));
            threads.add(Cast.virtual("queue-" + i, () -> down(FRAMES, Parked::inQueue)));
            threads.add(Cast.virtual("lock-" + i, () -> down(FRAMES, Parked::inLock)));
        }
        for (Thread t : threads) {
            t.start();
            Thread.sleep(0, 300_000); /* stacks of waits have a rate */
        }
        while (!threads.stream().allMatch(Parked::isWaiting))
            Thread.sleep(1);
        mayGo = true;
        for (int i = 0; i < threads.size(); i += 3)
            LockSupport.unpark(threads.get(i));
        for (int i = 0; i < BATCH; i++)
            QUEUE.put(i);
        LOCK.unlock();
        for (Thread t : threads)
            t.join();
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int n = Integer.parseInt(args[1]);
        stage.awaitGo();
        for (int i = 0; i < n; i += 3 * BATCH)
            batch(i / 3);
        stage.finish();
    }
}
