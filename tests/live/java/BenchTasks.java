// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The program of scripts/bench-tasks. Reads lines "VARIANT MS" and answers with ns of CPU, the quickest tenth of many short samples:
 *
 *   outside, inside   a task that this thread hands to a pool and then runs itself, outside of root(), or in it
 *   objects           an object that is no Future, which a pool's queue refuses and this thread runs, outside of root()
 *   forks             a fork of a sum by fork/join, outside of root()
 *
 * No task makes a traced call, whose hooks would be part of it.
 */
public class BenchTasks {
    static final int BATCH = 200; /* fewer than a thread may hand over at once, and so often that the loop is compiled soon */
    static final int PAUSE_MS = 3;
    static final int LEAVES = 1 << 17;

    /** The queue of a pool whose thread never sees what is in it. */
    static final class Kept extends LinkedBlockingQueue<Runnable> {
        private static final long serialVersionUID = 1;
        transient Runnable last;

        @Override
        public boolean offer(Runnable r) {
            last = r;
            return true;
        }
    }

    static final Kept kept = new Kept();
    static final ThreadPoolExecutor pool = new ThreadPoolExecutor(1, 1, 1, TimeUnit.HOURS, kept);
    static final ForkJoinPool forks = new ForkJoinPool(1);
    static final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    static volatile int sink;

    static final class Sum extends RecursiveTask<Integer> {
        private static final long serialVersionUID = 1;
        final int from, to;

        Sum(int from, int to) {
            this.from = from;
            this.to = to;
        }

        @Override
        protected Integer compute() {
            if (to - from == 1)
                return from;
            Sum half = new Sum(from, (from + to) / 2);

            half.fork();
            return new Sum((from + to) / 2, to).compute() + half.join();
        }
    }

    static void batch() {
        for (int i = 0; i < BATCH; i++) {
            pool.execute(new FutureTask<>(() -> 7));
            kept.last.run();
        }
    }

    static final class Own implements Runnable {
        @Override
        public void run() { }
    }

    static final ThreadPoolExecutor.CallerRunsPolicy here = new ThreadPoolExecutor.CallerRunsPolicy();

    static long objects() {
        long begin = threads.getCurrentThreadCpuTime();

        for (int i = 0; i < BATCH; i++) {
            pool.execute(new Own());
            here.rejectedExecution(kept.last, pool);
        }
        return threads.getCurrentThreadCpuTime() - begin;
    }

    static long timed() {
        long begin = threads.getCurrentThreadCpuTime();

        batch();
        return threads.getCurrentThreadCpuTime() - begin;
    }

    static long root() {
        return timed();
    }

    static long forked() {
        return forks.submit(() -> {
            long begin = threads.getCurrentThreadCpuTime();

            sink += new Sum(0, LEAVES).invoke();
            return threads.getCurrentThreadCpuTime() - begin;
        }).join();
    }

    static double sample(String variant) throws InterruptedException {
        if (variant.equals("forks"))
            return (double) forked() / (LEAVES - 1);
        Thread.sleep(PAUSE_MS);
        if (variant.equals("objects"))
            return (double) objects() / BATCH;
        return (double) (variant.equals("inside") ? root() : timed()) / BATCH;
    }

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        String line;

        pool.prestartAllCoreThreads();
        while ((line = in.readLine()) != null) {
            String[] words = line.split(" ");
            long until = System.nanoTime() + Long.parseLong(words[1]) * 1_000_000;
            double[] all = new double[10_000];
            int n = 0;

            do
                all[n++] = sample(words[0]);
            while (System.nanoTime() < until && n < all.length);
            Arrays.sort(all, 0, n);
            System.out.println(all[n / 10] + " " + n);
        }
    }
}
