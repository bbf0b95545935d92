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
 * Pooled DIR N CLIENTS HANDLERS TASKS: CLIENTS threads handle N requests in handle(), each of which waits for tasks in pools
 * that all requests share. HANDLERS: "platform" or "virtual" threads; TASKS: "pool" for pools of platform threads, "virtual"
 * for a virtual thread for each task. A line for each request and each call of a task goes into the file `log`, with the
 * time of the day:
 *
 *   request ID THREAD BEGIN_MS
 *   price|render ID THREAD NANOS THREAD-ID
 */
public class Pooled {
    private static final List<String> log = Collections.synchronizedList(new ArrayList<>());
    private static final AtomicInteger next = new AtomicInteger();
    private static ExecutorService db, cpu;
    static volatile int sink;

    private static void work(String method, int id, Random random) {
        long begin = System.nanoTime();
        if (random.nextInt(4) > 0)
            nap(random, random.nextInt(8) == 0 ? 60_000_000 : 8_000_000);
        else
            while (System.nanoTime() - begin < 200_000)
                sink += id;
        long took = System.nanoTime() - begin;
        log.add(method + "\t" + id + "\t" + Thread.currentThread().getName() + "\t" + took + "\t" + Thread.currentThread().getId());
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
        work("price", id, random);
        return id;
    }

    static int render(int id, Random random) {
        work("render", id, random);
        return id;
    }

    private static void count(CountDownLatch latch, int id, Random random) {
        try {
            render(id, random);
        } finally {
            latch.countDown();
        }
    }

    /** How a request waits. The task of the last kind makes no traced call. */
    static int handle(int id, Random random) throws Exception {
        Random one = new Random(id), two = new Random(-id);
        switch (random.nextInt(6)) {
        case 0:
            return cpu.submit(() -> render(id, one)).get();
        case 1:
            return CompletableFuture.supplyAsync(() -> price(id, one), db).thenApplyAsync(p -> render(id, two), cpu).get();
        case 2:
            Future<Integer> first = db.submit(() -> price(id, one)), second = cpu.submit(() -> render(id, two));
            return first.get() + second.get();
        case 3:
            CountDownLatch latch = new CountDownLatch(2);
            db.execute(() -> count(latch, id, one));
            cpu.execute(() -> count(latch, id, two));
            latch.await();
            return id;
        case 4:
            return CompletableFuture.supplyAsync(() -> price(id, one), db).thenCompose(p -> CompletableFuture.supplyAsync(() -> render(id, two), db)).join();
        default:
            return cpu.submit(() -> id + 1).get();
        }
    }

    private static void client(int n, long seed) throws Exception {
        Random random = new Random(seed);
        for (int id = next.incrementAndGet(); id <= n; id = next.incrementAndGet()) {
            log.add("request\t" + id + "\t" + Thread.currentThread().getName() + "\t" + LocalTime.now().toNanoOfDay() / 1_000_000);
            handle(id, random);
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
