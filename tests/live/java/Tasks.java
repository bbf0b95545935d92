// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.File;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Tasks DIR THREADS CALLS: threads whose calls of request() hand tasks over in all the ways that frtrace follows, while
 * another thread does so with the same pools outside of them, and a third one has the garbage collected each 50 ms. Most
 * workers of the pools are older than the recording. A line for each task of a request goes into `tasks`:
 *
 *   WAY OUTCOME CALL SUBMITTED BEGUN BY ON ROOT    ns, SUBMITTED 0: unknown; BY, ON: threads; ROOT: the thread of the request
 */
public class Tasks {
    static final Queue<String> log = new ConcurrentLinkedQueue<>();
    static final ThreadPoolExecutor pool =
            new ThreadPoolExecutor(3, 3, 1, TimeUnit.HOURS, new LinkedBlockingQueue<>());
    static final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(2);
    static final ForkJoinPool forks = new ForkJoinPool(2);
    static final ThreadPoolExecutor aborting = small(new ThreadPoolExecutor.AbortPolicy());
    static final ThreadPoolExecutor calling = small(new ThreadPoolExecutor.CallerRunsPolicy());
    static final ThreadPoolExecutor discarding = small(new ThreadPoolExecutor.DiscardPolicy());
    static volatile boolean over;

    static ThreadPoolExecutor small(RejectedExecutionHandler handler) {
        return new ThreadPoolExecutor(1, 1, 1, TimeUnit.HOURS, new ArrayBlockingQueue<>(1), handler);
    }

    static class Task implements Runnable, Callable<Object> {
        final String way, outcome, root;
        final long call;
        final Runnable inner;
        final CountDownLatch done = new CountDownLatch(1);
        volatile long submitted;
        volatile String by;

        Task(String way, String outcome, Request r, Runnable inner) {
            this.way = way;
            this.outcome = outcome;
            this.root = r.root;
            this.call = r.call;
            this.inner = inner;
            submitted();
        }

        /** It is handed over now. */
        final Task submitted() {
            by = Thread.currentThread().getName();
            submitted = System.nanoTime();
            return this;
        }

        void is(String what) {
            long now = System.nanoTime();

            if (call != 0)
                log.add(way + " " + what + " " + call + " " + submitted + " " + now + " " + by + " "
                        + Thread.currentThread().getName() + " " + root);
            done.countDown();
        }

        @Override
        public void run() {
            is(outcome);
            if (inner != null)
                inner.run();
        }

        @Override
        public Object call() {
            run();
            return null;
        }
    }

    static final class Fork extends RecursiveAction {
        private static final long serialVersionUID = 1;
        final transient Request r;
        final transient Task task;
        final int depth;

        Fork(Request r, int depth) {
            this.r = r;
            this.task = r.task("fork");
            this.depth = depth;
        }

        @Override
        protected void compute() {
            task.run();
            if (depth > 0) {
                Fork next = new Fork(r, depth - 1);

                next.fork();
                next.join();
            }
        }
    }

    /* One object, handed over again and again, by one request at a time. */
    static Request sharing;
    static CountDownLatch shared;
    static final Runnable again = () -> {
        CountDownLatch l = shared;
        Task t = new Task("shared", "ran", sharing, null);

        t.by = sharing.root;
        t.submitted = 0;
        t.run();
        l.countDown();
    };

    static final class Request {
        final long call;
        final String root = Thread.currentThread().getName();

        Request(long call) {
            this.call = call;
        }

        Task task(String way) {
            return new Task(way, "ran", this, null);
        }

        /* in queues of pools with free places */
        void pooled() throws Exception {
            Task nested = task("nested");
            Task[] t = {task("execute"), task("submit"), task("callable"), task("supply"), task("schedule"), nested,
                    task("all"), task("all"), task("thread")};
            Task outer = new Task("outer", "ran", this, () -> {
                pool.execute(nested.submitted());
            });
            Thread thread = new Thread(t[8], "thread-of-" + root);

            pool.execute(t[0].submitted());
            pool.submit((Runnable) t[1].submitted());
            pool.submit((Callable<Object>) t[2].submitted());
            CompletableFuture.supplyAsync(t[3].submitted()::call, pool);
            timer.schedule((Runnable) t[4].submitted(), 1, TimeUnit.MILLISECONDS);
            pool.execute(outer.submitted());
            t[8].submitted();
            thread.start();
            pool.invokeAll(Arrays.<Callable<Object>>asList(t[6].submitted(), t[7].submitted()));
            for (Task each : t)
                each.done.await();
            thread.join();
        }

        void forked() throws Exception {
            CountDownLatch chained = new CountDownLatch(1);
            Task then = task("then");
            Task run = new Task("run", "ran", this, () -> {
                try {
                    chained.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                then.submitted();
            });
            CompletableFuture<Void> stage = CompletableFuture.runAsync(run.submitted(), forks).thenRunAsync(then, pool);

            chained.countDown();
            stage.get();
            forks.submit((Runnable) task("forkjoin")).get();
            forks.submit(new Fork(this, 3)).get();
        }

        /* A pool with one thread and one place in its queue, both taken. */
        void refused(ThreadPoolExecutor to, String way) throws Exception {
            CountDownLatch free = new CountDownLatch(1);
            Task first = new Task("first", "ran", this, () -> {
                try {
                    free.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            Task second = task("second"), third = new Task(way, way, this, null);
            Future<?> waits;

            to.execute(first.submitted());
            first.done.await();
            waits = to.submit((Runnable) second.submitted());
            try {
                to.execute(third.submitted());
            } catch (RejectedExecutionException e) {
                third.is("rejected");
            }
            if (way.equals("discarded"))
                third.is("discarded");
            if (way.equals("rejected")) {
                waits.cancel(false);
                second.is("cancelled");
            }
            free.countDown();
            second.done.await();
            while (to.getActiveCount() > 0 || !to.getQueue().isEmpty())
                to.purge();
        }

        void one_object() throws Exception {
            sharing = this;
            shared = new CountDownLatch(3);
            for (int i = 0; i < 3; i++)
                pool.execute(again);
            shared.await();
        }

        void all() throws Exception {
            pooled();
            forked();
            synchronized (Tasks.class) {
                refused(aborting, "rejected");
                refused(calling, "caller");
                refused(discarding, "discarded");
                one_object();
            }
        }
    }

    static void request(long call) {
        other(call);
    }

    static void other(long call) {
        try {
            new Request(call).all();
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

    static void write(Writer to) {
        try {
            for (String line = log.poll(); line != null; line = log.poll())
                to.write(line + "\n");
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int threads = Integer.parseInt(args[1]), calls = Integer.parseInt(args[2]);
        List<Thread> all = new ArrayList<>();
        Writer to = Files.newBufferedWriter(new File(args[0], "tasks").toPath());
        Thread noise, collecting;

        pool.prestartAllCoreThreads();
        other(0);
        collecting = start("collecting", () -> {
            while (!over) {
                System.gc();
                write(to); // what is kept would make each collection take longer
                Stage.sleep(50);
            }
        });
        noise = start("noise", () -> {
            while (!over)
                other(0);
        });
        stage.awaitGo();
        for (int i = 0; i < threads; i++) {
            int first = i * calls;

            all.add(start("request-" + i, () -> {
                for (int n = 1; n <= calls; n++)
                    request(first + n);
            }));
        }
        for (Thread t : all)
            t.join();
        over = true;
        noise.join();
        collecting.join();
        write(to);
        to.close();
        stage.finish();
        System.exit(0);
    }
}
