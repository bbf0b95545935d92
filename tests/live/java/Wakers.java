// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Wakers DIR N KIND...: a thread with the name KIND calls the method of that name N times. Each call waits for something
 * of that kind. The threads KIND-a and KIND-b end these waits in turn, in the methods a() and b().
 */
public class Wakers {
    interface Turn {
        void take() throws Exception;
    }

    private static final Object MONITOR = new Object(), NEWS = new Object();
    private static final ReentrantLock LOCK = new ReentrantLock();
    private static final Semaphore PERMITS = new Semaphore(0);
    private static final BlockingQueue<Integer> QUEUE = new ArrayBlockingQueue<>(1);
    private static volatile CountDownLatch latch;
    private static volatile CompletableFuture<Integer> future;
    private static volatile Thread waiter;
    private static volatile int asked, held, done, told;
    private static InputStream in;
    private static OutputStream out;
    private static Pipe pipe;
    private static Process child;

    static void monitor() {
        synchronized (MONITOR) {
            told++;
        }
    }

    static void notice() throws Exception {
        synchronized (NEWS) {
            asked++;
            while (told < asked)
                NEWS.wait();
        }
    }

    static void lock() {
        LOCK.lock();
        LOCK.unlock();
    }

    static void semaphore() throws Exception {
        asked++;
        PERMITS.acquire();
    }

    static void latch() throws Exception {
        latch = new CountDownLatch(1);
        asked++;
        latch.await();
    }

    static void queue() throws Exception {
        asked++;
        QUEUE.take();
    }

    static void future() throws Exception {
        future = new CompletableFuture<>();
        asked++;
        future.get();
    }

    static void park() {
        int mine = asked + 1;
        asked = mine;
        while (done < mine)
            LockSupport.park();
    }

    static void sleep() throws Exception {
        Thread.sleep(2);
    }

    static void socket() throws Exception {
        asked++;
        if (in.read() < 0)
            throw new IOException("end");
    }

    static void pipe() throws Exception {
        asked++;
        pipe.source().read(ByteBuffer.allocate(1));
    }

    static void process() throws Exception {
        child.waitFor();
    }

    private static void pause() throws Exception {
        Thread.sleep(2);
    }

    /** What the waiting thread waits for, whichever of the two threads is about to give it. */
    private static void give(String kind) throws Exception {
        switch (kind) {
        case "notice":
            synchronized (NEWS) {
                told++;
                NEWS.notify();
            }
            break;
        case "semaphore":
            PERMITS.release();
            break;
        case "latch":
            latch.countDown();
            break;
        case "queue":
            QUEUE.put(1);
            break;
        case "future":
            future.complete(1);
            break;
        case "park":
            done++;
            LockSupport.unpark(waiter);
            break;
        case "socket":
            out.write(1);
            break;
        case "pipe":
            pipe.sink().write(ByteBuffer.allocate(1));
            break;
        default:
            throw new IllegalArgumentException(kind);
        }
    }

    private static boolean isWaiting() {
        Thread.State state = waiter.getState();
        return state == Thread.State.BLOCKED || state == Thread.State.WAITING;
    }

    private static void hold(String kind, int turn) throws Exception {
        if (kind.equals("monitor")) {
            synchronized (MONITOR) {
                held = turn;
                await(Wakers::isWaiting);
                Thread.sleep(5); // up to JDK 23 the thread looks after it once after 1 ms
            }
        } else {
            LOCK.lock();
            try {
                held = turn;
                await(Wakers::isWaiting);
                pause();
            } finally {
                LOCK.unlock();
            }
        }
    }

    private static boolean isHeld(String kind) {
        return kind.equals("monitor") || kind.equals("lock");
    }

    private static void end(String kind, int turn) throws Exception {
        if (isHeld(kind))
            hold(kind, turn);
        else
            give(kind);
    }

    static void a(String kind, int turn) throws Exception {
        end(kind, turn);
    }

    static void b(String kind, int turn) throws Exception {
        end(kind, turn);
    }

    private static void await(Check ready) {
        while (!ready.ok())
            LockSupport.parkNanos(100_000);
    }

    interface Check {
        boolean ok();
    }

    private static void wake(String kind, int n, boolean even) throws Exception {
        for (int i = 1; i <= n; i++) {
            int turn = i;
            if ((i % 2 == 0) != even)
                continue;
            await(() -> asked == turn);
            if (!isHeld(kind))
                pause();
            if (even)
                a(kind, turn);
            else
                b(kind, turn);
        }
    }

    /** A lock must be held before the thread asks for it. */
    private static void call(String kind, Turn turn, int i) throws Exception {
        if (kind.equals("process"))
            child = new ProcessBuilder("sleep", "0.01").start();
        if (isHeld(kind)) {
            asked = i;
            await(() -> held == i);
        }
        turn.take();
    }

    private static Thread start(String name, Turn turn) {
        Thread t = new Thread(() -> {
            try {
                turn.take();
            } catch (Exception e) {
                e.printStackTrace();
                System.exit(1);
            }
        }, name);
        t.start();
        return t;
    }

    private static Turn turn(String kind) throws IOException {
        switch (kind) {
        case "monitor": return Wakers::monitor;
        case "notice": return Wakers::notice;
        case "lock": return Wakers::lock;
        case "semaphore": return Wakers::semaphore;
        case "latch": return Wakers::latch;
        case "queue": return Wakers::queue;
        case "future": return Wakers::future;
        case "park": return Wakers::park;
        case "sleep": return Wakers::sleep;
        case "socket": return Wakers::socket;
        case "pipe":
            pipe = Pipe.open();
            return Wakers::pipe;
        case "process": return Wakers::process;
        default: throw new IllegalArgumentException(kind);
        }
    }

    private static void connect() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Socket writer = new Socket(server.getInetAddress(), server.getLocalPort());
            writer.setTcpNoDelay(true);
            out = writer.getOutputStream();
            in = server.accept().getInputStream();
        }
    }

    private static void run(String kind, int n) throws Exception {
        Turn turn = turn(kind);
        boolean alone = kind.equals("sleep") || kind.equals("process");
        asked = held = done = told = 0;
        Thread[] wakers = new Thread[alone ? 0 : 2];
        for (int i = 0; i < wakers.length; i++) {
            boolean even = i == 0;
            wakers[i] = start(kind + (even ? "-a" : "-b"), () -> wake(kind, n, even));
        }
        start(kind, () -> {
            waiter = Thread.currentThread();
            for (int i = 1; i <= n; i++)
                call(kind, turn, i);
        }).join();
        for (Thread t : wakers)
            t.join();
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int n = Integer.parseInt(args[1]);
        connect();
        stage.awaitGo();
        for (int i = 2; i < args.length; i++) {
            run(args[i], n);
            stage.expect("live.Wakers", args[i], n, 0);
        }
        stage.finish();
    }
}
