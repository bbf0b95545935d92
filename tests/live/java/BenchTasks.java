// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Arrays;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The program of scripts/bench-tasks. Reads lines "VARIANT MS" and answers with ns, the lower quartile of many short samples:
 *
 *   outside, inside   a task that this thread hands to a pool and then runs itself, outside of root(), or in it
 *   objects           an object that is no Future, which a pool's queue refuses and this thread runs, outside of root()
 *   forks             a fork of a sum by fork/join, outside of root()
 */
public class BenchTasks {
    static final int BATCH = 1000; /* fewer than a thread may hand over at once */
    static final int PAUSE_MS = 12;
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
                return from; // not by leaf(), whose hooks would be part of it
            Sum half = new Sum(from, (from + to) / 2);

            half.fork();
            return new Sum((from + to) / 2, to).compute() + half.join();
        }
    }

    static int leaf(int x) {
        return x;
    }

    static int batch() {
        int sum = 0;

        for (int i = 0; i < BATCH; i++) {
            pool.execute(new FutureTask<>(() -> leaf(7)));
            kept.last.run();
        }
        return sum;
    }

    static final class Own implements Runnable {
        @Override
        public void run() {
            leaf(7);
        }
    }

    static final ThreadPoolExecutor.CallerRunsPolicy here = new ThreadPoolExecutor.CallerRunsPolicy();

    static long objects() {
        long begin = System.nanoTime();

        for (int i = 0; i < BATCH; i++) {
            pool.execute(new Own());
            here.rejectedExecution(kept.last, pool);
        }
        return System.nanoTime() - begin;
    }

    static long timed() {
        long begin = System.nanoTime();

        sink += batch();
        return System.nanoTime() - begin;
    }

    static long root() {
        return timed();
    }

    static long forked() {
        long begin = System.nanoTime();

        sink += forks.submit(new Sum(0, LEAVES)).join();
        return System.nanoTime() - begin;
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
            System.out.println(all[n / 4] + " " + n);
        }
    }
}
