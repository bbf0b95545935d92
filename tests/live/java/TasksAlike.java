// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * TasksAlike DIR THREADS CALLS TASKS: each thread "ask-N" has a pool with one thread, "run-N". Its calls of request() hand
 * TASKS tasks to it: now the object that all threads share, now one that is new. Two more threads do so outside of calls of
 * request(). All the time the pools are slower than the threads, so that the object stands in several queues.
 */
public class TasksAlike {
    static AtomicIntegerArray pending;

    /** The same work for all. */
    static void work() {
        int n = Integer.parseInt(Thread.currentThread().getName().substring("run-".length()));

        if (ran++ % 100 == 0)
            Thread.yield();
        pending.decrementAndGet(n);
    }

    static volatile int ran;
    static final Runnable shared = TasksAlike::work;

    static final class Own implements Runnable {
        @Override
        public void run() {
            work();
        }
    }

    static void fill(ThreadPoolExecutor pool, int n, int tasks) {
        pending.addAndGet(n, tasks);
        for (int i = 0; i < tasks; i++)
            pool.execute(i % 3 == 0 ? new Own() : shared);
    }

    static void request(ThreadPoolExecutor pool, int n, int tasks) {
        fill(pool, n, tasks);
    }

    static Thread ask(int n, int calls, int tasks, boolean inside) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(1, 1, 1, TimeUnit.HOURS, new LinkedBlockingQueue<>(),
                r -> {
                    Thread t = new Thread(r, "run-" + n);

                    t.setDaemon(true);
                    return t;
                });
        Thread t = new Thread(() -> {
            for (int i = 0; i < calls; i++) {
                if (inside)
                    request(pool, n, tasks);
                else
                    fill(pool, n, tasks);
                while (pending.get(n) > 0)
                    Stage.sleep(1);
            }
        }, "ask-" + n);

        pool.prestartAllCoreThreads();
        return t;
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int threads = Integer.parseInt(args[1]), calls = Integer.parseInt(args[2]), tasks = Integer.parseInt(args[3]);
        Thread[] all = new Thread[threads + 2];

        pending = new AtomicIntegerArray(threads + 2);
        for (int i = 0; i < all.length; i++)
            all[i] = ask(i, calls, tasks, i < threads);
        stage.awaitGo();
        for (Thread t : all)
            t.start();
        for (Thread t : all)
            t.join();
        stage.finish();
        System.exit(0);
    }
}
