// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * TasksBefore DIR ROUNDS: two pools with a thread each, "run-0" and "run-1". In each round request() hands an object to the
 * second pool: a new one, one that code outside has handed to the first pool and that has run there, or one that still stands
 * in that pool's queue, and leaves it first.
 */
public class TasksBefore {
    static final class Pool {
        final ThreadPoolExecutor threads;
        final Semaphore open = new Semaphore(0);

        Pool(String name) {
            threads = new ThreadPoolExecutor(1, 1, 1, TimeUnit.HOURS, new LinkedBlockingQueue<>(), r -> {
                Thread t = new Thread(r, name);

                t.setDaemon(true);
                return t;
            });
            threads.prestartAllCoreThreads();
        }

        /** What is handed to it from now on stays in the queue. */
        void close() {
            threads.execute(new FutureTask<Void>(open::acquireUninterruptibly, null));
        }

        void open() throws Exception {
            open.release();
            threads.submit(() -> { }).get();
        }
    }

    static final Semaphore ran = new Semaphore(0);

    static final class Own implements Runnable {
        @Override
        public void run() {
            ran.release();
        }
    }

    static final Runnable shared = ran::release;

    static void request(Pool pool, Runnable task) {
        pool.threads.execute(task);
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int rounds = Integer.parseInt(args[1]);
        Pool other = new Pool("run-0"), own = new Pool("run-1");
        Runnable again = new Own();

        Thread.currentThread().setName("ask-1");
        stage.awaitGo();
        for (int i = 0; i < rounds; i++) {
            Runnable task = i % 3 == 0 ? new Own() : i % 3 == 1 ? again : shared;

            other.close();
            own.close();
            if (i % 3 > 0)
                other.threads.execute(task);
            if (i % 3 == 1)
                other.open();
            request(own, task);
            if (i % 3 != 1)
                other.open();
            own.open();
            ran.acquireUninterruptibly(i % 3 > 0 ? 2 : 1);
        }
        stage.finish();
        System.exit(0);
    }
}
