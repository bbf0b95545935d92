// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Graphs DIR N SEED: N calls of run(Plan), each with a random tree of threads that wait for each other: for a monitor, a
 * lock, a queue, a future, a pool whose worker is busy, or a socket. At its leaves they sleep and compute. In the file
 * DIR/chains they say what they did, and whom they waited for: "did CALL THREAD STATE FROM TO", "wait CALL THREAD FOR FROM
 * TO", in ns of System.nanoTime(); for calls "call CALL main graph FROM TO". Two more threads wake each other all the time,
 * and nobody else.
 */
public class Graphs {
    private static final int THREADS = 6; // with main
    private static final int LINKED = 20; // calls that are made before, without run() and the log
    private static final String[] LINKS = {"monitor", "lock", "queue", "future", "socket"};
    private static volatile long x;

    /** One thread's part of a call: what it does and whom it waits for, one after the other. */
    static class Plan {
        final Worker worker; // null: main
        final List<Step> steps = new ArrayList<>();

        Plan(Worker worker) {
            this.worker = worker;
        }
    }

    static class Step {
        String what; // "sleep", "cpu", or a link
        int ms;
        Plan child; // of a link
    }

    /** A thread that runs the steps from its queue, or the thread of a pool. */
    static class Worker extends Thread {
        final SynchronousQueue<Callable<?>> work = new SynchronousQueue<>();
        final LinkedBlockingQueue<Object> results = new LinkedBlockingQueue<>();
        final Object monitor = new Object();
        final ReentrantLock lock = new ReentrantLock();
        final ExecutorService pool;
        final Socket here, there;

        Worker(String name, ServerSocket server, boolean pooled) throws Exception {
            super(name);
            here = new Socket(server.getInetAddress(), server.getLocalPort());
            there = server.accept();
            here.setTcpNoDelay(true);
            there.setTcpNoDelay(true);
            pool = pooled ? Executors.newFixedThreadPool(1, task -> daemon(new Thread(task, name))) : null;
            if (!pooled) {
                daemon(this).start();
            }
        }

        static Thread daemon(Thread thread) {
            thread.setDaemon(true);
            return thread;
        }

        @Override
        public void run() {
            try {
                for (;;) {
                    perform(work.take());
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        }
    }

    /** In a traced method, so that the path can name what its thread was in. */
    static Object perform(Callable<?> c) throws Exception {
        return c.call();
    }

    private static final List<StringBuilder> logs = Collections.synchronizedList(new ArrayList<>());
    private static final ThreadLocal<StringBuilder> log = ThreadLocal.withInitial(() -> {
        StringBuilder own = new StringBuilder();

        logs.add(own);
        return own;
    });
    private static volatile int call; // 0: none yet

    private static void say(String what, String of, long from) {
        long to = System.nanoTime();

        if (call == 0) {
            return;
        }
        log.get().append(what).append(' ').append(call).append(' ').append(Thread.currentThread().getName());
        log.get().append(' ').append(of).append(' ').append(from).append(' ').append(to).append('\n');
    }

    static Object sleeps(int ms) throws Exception {
        long from = System.nanoTime();

        Thread.sleep(ms);
        say("did", "sleep", from);
        return null;
    }

    static Object computes(int ms) {
        long from = System.nanoTime();

        while (System.nanoTime() < from + ms * 1000000L) {
            x++;
        }
        say("did", "cpu", from);
        return null;
    }

    static Object enters(Object monitor) {
        synchronized (monitor) {
            return monitor;
        }
    }

    private static Object does(Plan plan) throws Exception {
        for (Step step : plan.steps) {
            if (step.child != null) {
                waits(step);
            } else if (step.what.equals("sleep")) {
                sleeps(step.ms);
            } else {
                computes(step.ms);
            }
        }
        return plan;
    }

    private static void waits(Step step) throws Exception {
        Worker w = step.child.worker;
        SynchronousQueue<Object> held = new SynchronousQueue<>();
        CompletableFuture<Object> future = new CompletableFuture<>();
        long from;

        switch (step.what) {
        case "monitor":
            w.work.put(() -> {
                synchronized (w.monitor) {
                    held.put(w);
                    return does(step.child);
                }
            });
            held.take();
            from = System.nanoTime();
            enters(w.monitor);
            break;
        case "lock":
            w.work.put(() -> {
                w.lock.lock();
                try {
                    held.put(w);
                    return does(step.child);
                } finally {
                    w.lock.unlock();
                }
            });
            held.take();
            from = System.nanoTime();
            w.lock.lock();
            w.lock.unlock();
            break;
        case "queue":
            w.work.put(() -> w.results.add(does(step.child)));
            from = System.nanoTime();
            w.results.take();
            break;
        case "future":
            w.work.put(() -> future.complete(does(step.child)));
            from = System.nanoTime();
            future.get();
            break;
        case "pool":
            w.pool.submit(() -> perform(() -> computes(step.ms)));
            from = System.nanoTime();
            w.pool.submit(() -> perform(() -> does(step.child))).get();
            break;
        default:
            w.work.put(() -> {
                does(step.child);
                w.there.getOutputStream().write(1);
                return null;
            });
            from = System.nanoTime();
            w.here.getInputStream().read();
            break;
        }
        say("wait", w.getName(), from);
    }

    private final Random random;
    private final List<Worker> workers = new ArrayList<>();

    Graphs(long seed) throws Exception {
        random = new Random(seed);
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            for (int i = 1; i < THREADS; i++) {
                workers.add(new Worker("worker-" + i, server, false));
            }
            workers.add(new Worker("pooled", server, true));
        }
    }

    private Step leaf() {
        Step step = new Step();

        step.what = random.nextBoolean() ? "sleep" : "cpu";
        step.ms = 1 + random.nextInt(4);
        return step;
    }

    private Step link(List<Worker> free) {
        Step step = new Step();
        Worker worker = free.remove(free.size() - 1);

        step.what = worker.pool != null ? "pool" : LINKS[random.nextInt(LINKS.length)];
        step.ms = 1 + random.nextInt(4);
        step.child = plan(worker, free);
        return step;
    }

    private Plan plan(Worker worker, List<Worker> free) {
        Plan plan = new Plan(worker);
        int steps = 1 + random.nextInt(3);

        for (int i = 0; i < steps; i++) {
            boolean links = !free.isEmpty() && (worker == null && i == 0 || random.nextInt(5) < 3);

            plan.steps.add(links ? link(free) : leaf());
        }
        return plan;
    }

    Object run(Plan plan) throws Exception {
        long from = System.nanoTime();

        does(plan);
        say("call", "graph", from);
        return plan;
    }

    /** For main and at most five others. */
    private Plan plan() {
        List<Worker> free = new ArrayList<>(workers);

        Collections.shuffle(free, random);
        free.remove(0);
        return plan(null, free);
    }

    /** Threads that link code at a time wait for each other. */
    private void link() throws Exception {
        for (int i = 0; i < LINKED; i++) {
            does(plan());
            Thread.sleep(3);
        }
    }

    /** All threads are there before the recording begins, and those that have nothing to do with it. */
    private void warmUp() throws Exception {
        SynchronousQueue<Object> ball = new SynchronousQueue<>();

        for (Worker w : workers) {
            if (w.pool != null) {
                w.pool.submit(() -> computes(1)).get();
            } else {
                w.work.put(() -> computes(1));
            }
        }
        Worker.daemon(new Thread(() -> pings(ball), "ping")).start();
        Worker.daemon(new Thread(() -> pongs(ball), "pong")).start();
    }

    private static void pings(SynchronousQueue<Object> ball) {
        try {
            for (;;) {
                Thread.sleep(1);
                ball.put(ball);
            }
        } catch (InterruptedException e) {
            e.printStackTrace();
        }
    }

    private static void pongs(SynchronousQueue<Object> ball) {
        try {
            for (;;) {
                ball.take();
            }
        } catch (InterruptedException e) {
            e.printStackTrace();
        }
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        Graphs graphs = new Graphs(Long.parseLong(args[2]));
        int n = Integer.parseInt(args[1]);
        StringBuilder all = new StringBuilder();

        graphs.warmUp();
        graphs.link();
        stage.awaitGo();
        graphs.link(); // with hooks, the code is another one
        while (call < n) {
            call++;
            graphs.run(graphs.plan());
            Thread.sleep(3);
        }
        Thread.sleep(20); // the last ones have said what they did
        logs.forEach(all::append);
        Files.write(Paths.get(args[0], "chains"), all.toString().getBytes(StandardCharsets.US_ASCII));
        stage.finish();
    }
}
