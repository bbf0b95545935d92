// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.File;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Branched DIR THREADS CALLS: threads call request(), which is slow or fast and hands tasks to other threads in twelve ways.
 * Two more threads do the same outside of request(), with the same pools. Each task calls child(), and so does the thread
 * itself. Some tasks end after their request. Lines:
 *
 *   roots:     ROOT BEGIN END LEAST                     ns; LEAST: how long it took at least
 *   children:  CALL ROOT THREAD WAY                     ROOT 0: outside
 */
public class Branched {
    static final long SLOW_NS = 90_000_000; /* three times the threshold of the test */
    static final Queue<String> children = new ConcurrentLinkedQueue<>(), roots = new ConcurrentLinkedQueue<>();
    static final AtomicInteger calls = new AtomicInteger(), numbers = new AtomicInteger();
    static final ThreadPoolExecutor pool =
            new ThreadPoolExecutor(4, 4, 1, TimeUnit.HOURS, new LinkedBlockingQueue<>());
    static final ThreadPoolExecutor caller = new ThreadPoolExecutor(1, 1, 1, TimeUnit.HOURS, new SynchronousQueue<>(),
            new ThreadPoolExecutor.CallerRunsPolicy());
    static final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(2);
    static final ForkJoinPool forks = new ForkJoinPool(3);
    static final ForkJoinPool single = new ForkJoinPool(1);
    static volatile boolean over;
    static volatile int sink;

    static void child(int call) {
        sink += call;
    }

    /** A request, or the same outside of one. */
    static final class Plan {
        final int root;
        final CountDownLatch pending;
        final boolean slow, late;

        Plan(int root, Random random) {
            this.root = root;
            slow = random.nextInt(4) == 0;
            late = random.nextInt(3) == 0;
            pending = new CountDownLatch(13);
        }

        void calls(String way, int n) {
            for (int i = 0; i < n; i++) {
                int call = calls.incrementAndGet();

                children.add(call + " " + root + " " + Thread.currentThread().getName() + " " + way);
                child(call);
            }
        }

        Task task(String way) {
            return new Task(this, way, null);
        }

        void run() throws Exception {
            long until = System.nanoTime() + SLOW_NS;
            Task nested = task("nested"), last = task("late");
            RecursiveAction forked = new Fork(this, 2);

            calls("own", 2);
            pool.execute(task("execute"));
            pool.submit((Runnable) task("submit"));
            pool.execute(new Task(this, "outer", () -> pool.submit((Callable<Object>) nested)));
            CompletableFuture.supplyAsync(task("supply")::call, pool).thenRunAsync(task("then"), forks);
            timer.schedule((Runnable) task("schedule"), 1, TimeUnit.MILLISECONDS);
            new Thread(task("thread"), "thread-of-" + root).start();
            caller.execute(task("caller"));
            pool.invokeAll(Arrays.<Callable<Object>>asList(task("all"), task("all")));
            forks.submit(forked).get();
            forks.invoke(new Fork(this, 1));
            single.submit(new Help(this));
            calls("own", 3);
            if (late)
                timer.schedule(() -> pool.execute(last), 20, TimeUnit.MILLISECONDS);
            else
                last.run();
            while (slow && System.nanoTime() < until)
                Stage.sleep(3);
            while (!late && pending.getCount() > 0)
                pending.await();
        }
    }

    static final class Task implements Runnable, Callable<Object> {
        final Plan plan;
        final String way;
        final Runnable inner;

        Task(Plan plan, String way, Runnable inner) {
            this.plan = plan;
            this.way = way;
            this.inner = inner;
        }

        @Override
        public void run() {
            plan.calls(way, 1 + plan.root % 3);
            if (inner != null)
                inner.run();
            plan.pending.countDown();
        }

        @Override
        public Object call() {
            run();
            return null;
        }
    }

    static final class Fork extends RecursiveAction {
        private static final long serialVersionUID = 1;
        final transient Plan plan;
        final int depth;

        Fork(Plan plan, int depth) {
            this.plan = plan;
            this.depth = depth;
        }

        @Override
        protected void compute() {
            plan.calls("fork", 1);
            if (depth > 0)
                invokeAll(new Fork(plan, depth - 1), new Fork(plan, depth - 1));
        }
    }

    /** Runs whatever else waits for its pool's only thread. */
    static final class Help extends RecursiveAction {
        private static final long serialVersionUID = 1;
        final transient Plan plan;

        Help(Plan plan) {
            this.plan = plan;
        }

        @Override
        protected void compute() {
            plan.calls("help", 1);
            Stage.sleep(1);
            helpQuiesce();
            plan.calls("helped", 1);
            plan.pending.countDown();
        }
    }

    static void request(Plan plan) {
        other(plan);
    }

    static void other(Plan plan) {
        try {
            plan.run();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static Thread start(String name, Runnable body) {
        Thread t = new Thread(body, name);

        t.setDaemon(true);
        t.start();
        return t;
    }

    static void requests(int seed, int count) {
        Random random = new Random(seed);

        for (int i = 0; i < count; i++) {
            Plan plan = new Plan(numbers.incrementAndGet(), random);
            long begin = System.nanoTime();

            request(plan);
            roots.add(plan.root + " " + begin + " " + System.nanoTime() + " " + (plan.slow ? SLOW_NS : 0));
            await(plan);
        }
    }

    static void await(Plan plan) {
        try {
            plan.pending.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A worker that has been waiting since before the recording has its first task unseen: each gets one. */
    static void wakeWorkers() throws Exception {
        CyclicBarrier together = new CyclicBarrier(pool.getPoolSize());
        List<Future<Object>> woken = new ArrayList<>();
        Thread self = Thread.currentThread();
        FutureTask<Boolean> elsewhere;

        for (int i = 0; i < together.getParties(); i++)
            woken.add(pool.submit((Callable<Object>) together::await));
        for (Future<Object> f : woken)
            f.get();
        do {
            elsewhere = new FutureTask<>(() -> Thread.currentThread() != self);
            caller.execute(elsewhere);
        } while (!elsewhere.get());
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int threads = Integer.parseInt(args[1]), count = Integer.parseInt(args[2]);
        List<Thread> all = new ArrayList<>(), noise = new ArrayList<>();
        Random random = new Random(7);

        pool.prestartAllCoreThreads();
        for (int i = 0; i < 5; i++) {
            Plan plan = new Plan(0, random);

            other(plan);
            await(plan);
        }
        stage.awaitGo();
        wakeWorkers();
        for (int i = 0; i < 2; i++) {
            Random own = new Random(100 + i);

            noise.add(start("noise-" + i, () -> {
                while (!over) {
                    Plan plan = new Plan(0, own);

                    other(plan);
                    await(plan);
                }
            }));
        }
        for (int i = 0; i < threads; i++) {
            int seed = i;

            all.add(start("request-" + i, () -> requests(seed, count)));
        }
        for (Thread t : all)
            t.join();
        over = true;
        for (Thread t : noise)
            t.join();
        Files.write(new File(args[0], "children").toPath(), children);
        Files.write(new File(args[0], "roots").toPath(), roots);
        stage.finish();
        System.exit(0);
    }
}
