// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Wakers DIR N LANES KIND...: LANES threads with the names KIND.0, KIND.1 ... call the method of that name N times in all.
 * Each call waits for something of that kind. The threads KIND.0-a and KIND.0-b end the waits of the first one in turn, in
 * the methods a() and b(): its first call, and each second one, is for b(). With -Dwakers=virtual these are virtual threads.
 */
public class Wakers {
    private final String kind;
    private final Object monitor = new Object(), news = new Object();
    private final ReentrantLock lock = new ReentrantLock();
    private final BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(1);
    private volatile Semaphore permits;
    private volatile CountDownLatch latch;
    private volatile CompletableFuture<Integer> future;
    private volatile Thread waiter;
    private volatile int asked, held, done, told;
    private Wire wire;
    private Pipe pipe;
    private Process child;

    Wakers(String kind) throws IOException {
        this.kind = kind;
        if (kind.equals("socket"))
            wire = new Wire();
        if (kind.equals("pipe"))
            pipe = Pipe.open();
    }

    void monitor() {
        synchronized (monitor) {
            told++;
        }
    }

    void notice() throws Exception {
        synchronized (news) {
            asked++;
            while (told < asked)
                news.wait();
        }
    }

    void lock() {
        lock.lock();
        lock.unlock();
    }

    /** A new one each time: release() of JDK 8 may wake twice, and so end the next wait, too. */
    void semaphore() throws Exception {
        permits = new Semaphore(0);
        asked++;
        permits.acquire();
    }

    void latch() throws Exception {
        latch = new CountDownLatch(1);
        asked++;
        latch.await();
    }

    void queue() throws Exception {
        asked++;
        queue.take();
    }

    void future() throws Exception {
        future = new CompletableFuture<>();
        asked++;
        future.get();
    }

    void park() {
        int mine = asked + 1;
        asked = mine;
        while (done < mine)
            LockSupport.park();
    }

    void sleep() throws Exception {
        Thread.sleep(2);
    }

    void socket() throws Exception {
        asked++;
        if (wire.in.read() < 0)
            throw new IOException("end");
    }

    void pipe() throws Exception {
        asked++;
        pipe.source().read(ByteBuffer.allocate(1));
    }

    void process() throws Exception {
        child.waitFor();
    }

    private static void pause() throws Exception {
        Thread.sleep(2);
    }

    /** What the waiting thread waits for, whichever of the two threads is about to give it. */
    private void give() throws Exception {
        switch (kind) {
        case "notice":
            synchronized (news) {
                told++;
                news.notify();
            }
            break;
        case "semaphore":
            permits.release();
            break;
        case "latch":
            latch.countDown();
            break;
        case "queue":
            queue.put(1);
            break;
        case "future":
            future.complete(1);
            break;
        case "park":
            done++;
            LockSupport.unpark(waiter);
            break;
        case "socket":
            wire.out.write(1);
            break;
        case "pipe":
            pipe.sink().write(ByteBuffer.allocate(1));
            break;
        default:
            throw new IllegalArgumentException(kind);
        }
    }

    private boolean isWaiting() {
        Thread.State state = waiter.getState();
        return state == Thread.State.BLOCKED || state == Thread.State.WAITING;
    }

    private void hold(int turn) throws Exception {
        if (kind.equals("monitor")) {
            synchronized (monitor) {
                held = turn;
                await(this::isWaiting);
                Thread.sleep(5); // up to JDK 23 the thread looks after it once after 1 ms
            }
        } else {
            lock.lock();
            try {
                held = turn;
                await(this::isWaiting);
                pause();
            } finally {
                lock.unlock();
            }
        }
    }

    private boolean isHeld() {
        return kind.equals("monitor") || kind.equals("lock");
    }

    private void end(int turn) throws Exception {
        if (isHeld())
            hold(turn);
        else
            give();
    }

    void a(int turn) throws Exception {
        end(turn);
    }

    void b(int turn) throws Exception {
        end(turn);
    }

    private static void await(Check ready) {
        while (!ready.ok())
            LockSupport.parkNanos(100_000);
    }

    interface Check {
        boolean ok();
    }

    private boolean blocksInKernel() {
        return kind.equals("socket") || kind.equals("pipe");
    }

    private void wake(int n, boolean even) throws Exception {
        for (int i = 1; i <= n; i++) {
            int turn = i;
            if ((i % 2 == 0) != even)
                continue;
            await(() -> asked == turn);
            if (!isHeld()) {
                if (!blocksInKernel())
                    await(this::isWaiting);
                pause();
            }
            if (even)
                a(turn);
            else
                b(turn);
        }
    }

    /** A lock must be held before the thread asks for it. */
    private void call(Cast.Body turn, int i) throws Exception {
        if (kind.equals("process"))
            child = new ProcessBuilder("sleep", "0.01").start();
        if (isHeld()) {
            asked = i;
            await(() -> held == i);
        }
        turn.run();
    }

    private static Thread startWaker(String name, Cast.Body body) {
        return "virtual".equals(System.getProperty("wakers")) ? Cast.startVirtual(name, body) : Cast.start(name, body);
    }

    private Cast.Body turn() {
        switch (kind) {
        case "monitor": return this::monitor;
        case "notice": return this::notice;
        case "lock": return this::lock;
        case "semaphore": return this::semaphore;
        case "latch": return this::latch;
        case "queue": return this::queue;
        case "future": return this::future;
        case "park": return this::park;
        case "sleep": return this::sleep;
        case "socket": return this::socket;
        case "pipe": return this::pipe;
        case "process": return this::process;
        default: throw new IllegalArgumentException(kind);
        }
    }

    /** The threads of a lane have been started. */
    private List<Thread> start(int lane, int n) {
        String name = kind + "." + lane;
        List<Thread> threads = new ArrayList<>();
        threads.add(Cast.start(name, () -> {
            waiter = Thread.currentThread();
            for (int i = 1; i <= n; i++)
                call(turn(), i);
        }));
        if (kind.equals("sleep") || kind.equals("process"))
            return threads;
        threads.add(startWaker(name + "-a", () -> wake(n, true)));
        threads.add(startWaker(name + "-b", () -> wake(n, false)));
        return threads;
    }

    private static void run(String kind, int n, int lanes) throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int lane = 0; lane < lanes; lane++)
            threads.addAll(new Wakers(kind).start(lane, n / lanes));
        for (Thread t : threads)
            t.join();
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int n = Integer.parseInt(args[1]), lanes = Integer.parseInt(args[2]);
        for (int i = 3; i < args.length; i++)
            run(args[i], 2 * lanes, lanes); // threads wait for each other while classes are initialized
        stage.awaitGo();
        for (int i = 3; i < args.length; i++) {
            run(args[i], n, lanes);
            stage.expect("live.Wakers", args[i], n / lanes * lanes, 0);
        }
        stage.finish();
    }
}
