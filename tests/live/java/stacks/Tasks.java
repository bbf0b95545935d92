// SPDX-License-Identifier: BSD-2-Clause
package stacks;

import java.util.ArrayList;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Calls on different threads: the program's own, the JDK's, and those created in C. */
@SuppressWarnings({"removal", "deprecation"})
final class Tasks {
    private Tasks() {
    }

    static final class Direct extends Thread {
        private final long key;

        Direct(long key) {
            this.key = key;
        }

        @Override
        public void run() {
            Probe.hit(key);
            Shapes.down(key, 3);
        }
    }

    static void threads(long key) throws Exception {
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            all.add(i % 2 == 0 ? new Direct(key) : new Thread(() -> Probe.hit(key)));
            all.get(i).start();
        }
        for (Thread thread : all)
            thread.join();
        Timer timer = new Timer("stacks-timer");
        CountDownLatch left = new CountDownLatch(20);
        timer.schedule(new TimerTask() {
            @Override
            public void run() {
                Probe.hit(key);
                left.countDown();
            }
        }, 0, 2);
        left.await();
        timer.cancel();
    }

    static final class Sum extends RecursiveTask<Integer> {
        private static final long serialVersionUID = 1;
        private final long key;
        private final int from, to;

        Sum(long key, int from, int to) {
            this.key = key;
            this.from = from;
            this.to = to;
        }

        @Override
        protected Integer compute() {
            if (to - from == 1)
                return Probe.hit(key);
            int middle = (from + to) / 2;
            Sum left = new Sum(key, from, middle), right = new Sum(key, middle, to);
            left.fork();
            return right.compute() + left.join();
        }
    }

    static void pools(long key) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        List<Future<Integer>> results = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            int n = i % 20;
            results.add(pool.submit((Callable<Integer>) () -> Shapes.down(key, n)));
            pool.execute(() -> Probe.hit(key));
        }
        for (Future<Integer> result : results)
            result.get();
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.MINUTES);
        ForkJoinPool fork = new ForkJoinPool(3);
        for (int i = 0; i < 10; i++)
            fork.invoke(new Sum(key, 0, 100));
        fork.shutdown();
        for (int i = 0; i < 100; i++)
            CompletableFuture.supplyAsync(() -> Probe.hit(key)).thenApply(x -> x + Probe.hit(key))
                    .thenCombine(CompletableFuture.supplyAsync(() -> Probe.hit(key)), Integer::sum).get();
        ScheduledExecutorService later = Executors.newScheduledThreadPool(2);
        CountDownLatch left = new CountDownLatch(50);
        later.scheduleAtFixedRate(() -> {
            Probe.hit(key);
            left.countDown();
        }, 0, 1, TimeUnit.MILLISECONDS);
        left.await();
        later.shutdownNow();
        later.awaitTermination(1, TimeUnit.MINUTES);
    }

    /** Threads created in C: no Java frame below hit, or only a static initializer or a method called from C. */
    public static final class FromC {
        static {
            Probe.hit(Main.fromC);
        }

        private FromC() {
        }

        public static void run() {
            Probe.hit(Main.fromC);
            Shapes.down(Main.fromC, 3);
        }
    }

    static void attached(long key) throws Exception {
        Main.fromC = key;
        for (int i = 0; i < 30; i++) {
            Class<?> type = new Loaders.ThrowAway("stacks.Tasks$FromC").loadClass("stacks.Tasks$FromC");
            Native.attached(Probe.class, key, type);
        }
    }

    static void finalizers(long key) throws Exception {
        AtomicInteger left = new AtomicInteger(50);
        for (int i = 0; i < 50; i++)
            new Object() {
                @Override
                protected void finalize() {
                    Probe.hit(key);
                    left.decrementAndGet();
                }
            };
        while (left.get() > 0) {
            System.gc();
            Thread.sleep(20);
        }
    }

    /** Generated classes with random calls: see Generate. */
    static void random(long key) throws Exception {
        long seed = Long.getLong("stacks.seed", 1);
        int calls = Integer.getInteger("stacks.calls", 20_000);
        Thread[] all = new Thread[3];
        for (int t = 0; t < all.length; t++) {
            long from = seed * 31 + t;
            all[t] = new Thread(null, () -> Graph.walk(key, from, calls / 3), "random-" + t, 16 << 20);
            all[t].start();
        }
        for (Thread thread : all)
            thread.join();
    }
}
