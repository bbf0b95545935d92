// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.File;
import java.nio.file.Files;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * NAME DIR THREADS CALLS: threads call request(), which is slow or fast and hands work to a library that does it on other threads.
 * One more thread does the same outside of request(). Each step of the work calls child(). The files are those of Branched.
 */
abstract class Served {
    private static final long SLOW_MS = 90;
    private static final Queue<String> children = new ConcurrentLinkedQueue<>(), roots = new ConcurrentLinkedQueue<>();
    private static final AtomicInteger calls = new AtomicInteger(), numbers = new AtomicInteger();
    private static volatile boolean over;
    private static volatile int sink;

    static void child(int call) {
        sink += call;
    }

    static void called(int root, String way) {
        int call = calls.incrementAndGet();

        children.add(call + " " + root + " " + Thread.currentThread().getName().split(" ")[0] + " " + way);
        child(call);
    }

    /** What a request does, and what is done outside of one, for root 0. All of it is over when this returns. */
    abstract void work(int root, boolean slow) throws InterruptedException;

    void request(int root, boolean slow) throws InterruptedException {
        work(root, slow);
    }

    static void pause(boolean slow) {
        if (slow)
            Stage.sleep(SLOW_MS);
    }

    private void serve(int requests) {
        try {
            for (int i = 0; i < requests; i++) {
                int root = numbers.incrementAndGet();
                boolean slow = i % 3 == 0;
                long begin = System.nanoTime();

                request(root, slow);
                roots.add(root + " " + begin + " " + System.nanoTime() + " " + (slow ? SLOW_MS * 1_000_000 : 0));
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void besides() {
        try {
            while (!over)
                work(0, false);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static Thread begin(Runnable work, boolean daemon) {
        Thread thread = new Thread(work);

        thread.setDaemon(daemon);
        thread.start();
        return thread;
    }

    /** What comes before all requests while they are traced. */
    void first() throws Exception { }

    void run(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        Thread[] threads = new Thread[Integer.parseInt(args[1])];
        Thread other;

        work(0, false); // its classes are loaded
        stage.awaitGo();
        first();
        other = begin(this::besides, true);
        for (int i = 0; i < threads.length; i++)
            threads[i] = begin(() -> serve(Integer.parseInt(args[2])), false);
        for (Thread thread : threads)
            thread.join();
        over = true;
        other.join();
        Files.write(new File(args[0], "children").toPath(), children);
        Files.write(new File(args[0], "roots").toPath(), roots);
        stage.finish();
    }
}
