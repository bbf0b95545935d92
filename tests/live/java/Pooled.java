// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Pooled DIR N CLIENTS HANDLERS TASKS: CLIENTS threads handle N requests. handle() waits for tasks, which run in pools that
 * all requests share. HANDLERS: "platform" or "virtual" threads; TASKS: "pool" for pools of platform threads, "virtual"
 * for a virtual thread for each task. A line for each request and each call of a task goes into the file `log`, with the
 * time of the day:
 *
 *   request ID THREAD BEGIN_MS NANOS
 *   price|render ID THREAD NANOS-INSIDE NANOS-AROUND THREAD-ID
 */
public class Pooled {
    private static final List<String> log = Collections.synchronizedList(new ArrayList<>());
    private static final ThreadLocal<Long> inside = new ThreadLocal<>();
    private static final AtomicInteger next = new AtomicInteger();
    private static ExecutorService db, cpu;
    static volatile int sink;

    private static void work(int id, Random random) {
        long begin = System.nanoTime();
        if (random.nextInt(4) > 0)
            nap(random, random.nextInt(8) == 0 ? 60_000_000 : 8_000_000);
        else
            while (System.nanoTime() - begin < 200_000)
                sink += id;
        inside.set(System.nanoTime() - begin);
    }

    private static void nap(Random random, int most) {
        int ns = random.nextInt(most);
        try {
            Thread.sleep(ns / 1_000_000, ns % 1_000_000);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static int price(int id, Random random) {
        work(id, random);
        return id;
    }

    static int render(int id, Random random) {
        work(id, random);
        return id;
    }

    private interface Call {
        int run(int id, Random random);
    }

    private static int logged(String method, Call call, int id, Random random) {
        Thread t = Thread.currentThread();
        long begin = System.nanoTime(), took;
        call.run(id, random);
        took = System.nanoTime() - begin;
        log.add(String.join("\t", method, "" + id, t.getName(), "" + inside.get(), "" + took, "" + t.getId()));
        return id;
    }

    private static int priced(int id, Random random) {
        return logged("price", Pooled::price, id, random);
    }

    private static int rendered(int id, Random random) {
        return logged("render", Pooled::render, id, random);
    }

    private static void count(CountDownLatch latch, int id, Random random) {
        try {
            rendered(id, random);
        } finally {
            latch.countDown();
        }
    }

    /** How a request waits. The task of the last kind makes no traced call. */
    static int handle(int id, Random random) throws Exception {
        Random one = new Random(id), two = new Random(-id);
        switch (random.nextInt(6)) {
        case 0:
            return cpu.submit(() -> rendered(id, one)).get();
        case 1:
            return CompletableFuture.supplyAsync(() -> priced(id, one), db).thenApplyAsync(p -> rendered(id, two), cpu).get();
        case 2:
            Future<Integer> first = db.submit(() -> priced(id, one)), second = cpu.submit(() -> rendered(id, two));
            return first.get() + second.get();
        case 3:
            CountDownLatch latch = new CountDownLatch(2);
            db.execute(() -> count(latch, id, one));
            cpu.execute(() -> count(latch, id, two));
            latch.await();
            return id;
        case 4:
            return CompletableFuture.supplyAsync(() -> priced(id, one), db).thenCompose(p -> CompletableFuture.supplyAsync(() -> rendered(id, two), db)).join();
        default:
            return cpu.submit(() -> id + 1).get();
        }
    }

    private static void client(int n, long seed) throws Exception {
        Random random = new Random(seed);
        for (int id = next.incrementAndGet(); id <= n; id = next.incrementAndGet()) {
            long begin = System.nanoTime(), ofDay = LocalTime.now().toNanoOfDay() / 1_000_000;
            handle(id, random);
            log.add(String.join("\t", "request", "" + id, Thread.currentThread().getName(), "" + ofDay, "" + (System.nanoTime() - begin)));
            nap(random, 4_000_000);
        }
    }

    private static ExecutorService pool(String name, int threads, boolean isVirtual) throws Exception {
        AtomicInteger number = new AtomicInteger();
        if (!isVirtual)
            return Executors.newFixedThreadPool(threads, task -> new Thread(task, name + "-" + number.incrementAndGet()));
        java.util.concurrent.ThreadFactory factory = task -> Cast.virtual(name + "-" + number.incrementAndGet(), task::run);
        return (ExecutorService) Executors.class.getMethod("newThreadPerTaskExecutor", java.util.concurrent.ThreadFactory.class).invoke(null, factory);
    }

    private static void run(int n, int clients, boolean isVirtual) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        next.set(0);
        for (int i = 0; i < clients; i++) {
            int seed = i;
            Cast.Body body = () -> client(n, seed);
            threads.add(isVirtual ? Cast.startVirtual("client-" + i, body) : Cast.start("client-" + i, body));
        }
        for (Thread t : threads)
            t.join();
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int n = Integer.parseInt(args[1]), clients = Integer.parseInt(args[2]);
        boolean handlers = args[3].equals("virtual"), tasks = args[4].equals("virtual");
        db = pool("db", 2, tasks);
        cpu = pool("cpu", 3, tasks);
        run(40, clients, handlers);
        stage.awaitGo();
        log.clear();
        run(n, clients, handlers);
        stage.write("log", String.join("\n", log) + "\n");
        stage.expect("live.Pooled", "handle", n, 0);
        stage.finish();
        db.shutdown();
        cpu.shutdown();
    }
}
