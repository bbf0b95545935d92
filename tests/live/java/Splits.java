// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.IOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Splits DIR N KIND...: a thread with the name KIND calls the method of that name N times. Each call waits for
 * something of that kind, and a thread KIND-2 ends the wait; for `named` one whose name the kernel has to cut. -Dpause=MS is how
 * long most of them wait, 2 by default.
 */
public class Splits {
    private static final long PAUSE_MS = Long.getLong("pause", 2);
    private static final Object MONITOR = new Object(), KEPT = new Object();
    private static final ReentrantLock LOCK = new ReentrantLock();
    private static final BlockingQueue<Integer> QUEUE = new ArrayBlockingQueue<>(1);
    private static volatile Thread parked, entering;
    private static volatile int parks, unparks, waits, notified, asked, answered, kept, entered;
    private static Wire wire;
    static volatile long sink;

    static void sleep() throws Exception {
        Thread.sleep(PAUSE_MS);
    }

    /** The second thread notifies. */
    static void monitor() throws Exception {
        synchronized (MONITOR) {
            waits++;
            MONITOR.wait();
        }
    }

    static void queue() throws Exception {
        asked++;
        QUEUE.take();
    }

    static void named() throws Exception {
        queue();
    }

    static void park() {
        parked = Thread.currentThread();
        parks++;
        LockSupport.park();
    }

    static void socket() throws Exception {
        asked++;
        if (wire.in.read() < 0)
            throw new IOException("end");
    }

    static void gc() {
        System.gc();
    }

    /** Runs until another thread has had the JVM collect, without waiting for that. */
    static void stop() {
        int mine = ++asked;
        long n = 0;
        while (answered < mine)
            n++;
        sink = n;
    }

    static void busy() {
        long end = System.nanoTime() + 2_000_000, n = 0;
        while (System.nanoTime() < end)
            n++;
        sink = n;
    }

    /** The second thread keeps the monitor for long: up to JDK 23 HotSpot parks with time limits then. */
    static void enter() {
        entering = Thread.currentThread();
        while (kept == entered)
            Thread.yield();
        asked++;
        synchronized (KEPT) {
            entered++;
        }
    }

    /** These time limits are the program's own, and end in the same frame again and again. */
    static void again() throws Exception {
        for (int i = 0; i < 3; i++)
            synchronized (MONITOR) {
                MONITOR.wait(20);
            }
        for (int i = 0; i < 3; i++)
            LockSupport.parkNanos(20_000_000);
        for (int i = 0; i < 3; i++)
            Thread.sleep(20);
    }

    static void keep() throws Exception {
        while (entered < kept)
            Thread.yield();
        synchronized (KEPT) {
            kept++;
            while (asked < kept || entering.getState() != Thread.State.BLOCKED)
                Thread.yield();
            Thread.sleep(100);
        }
    }

    private static void pause() throws Exception {
        Thread.sleep(PAUSE_MS);
    }

    private static void unmonitor() throws Exception {
        while (waits == notified)
            Thread.yield();
        pause();
        synchronized (MONITOR) {
            notified++;
            MONITOR.notify();
        }
    }

    private static void answer() throws Exception {
        while (asked == answered)
            Thread.yield();
        pause();
        answered++;
    }

    private static void unqueue() throws Exception {
        answer();
        QUEUE.put(1);
    }

    private static void unpark() throws Exception {
        while (parks == unparks)
            Thread.yield();
        pause();
        unparks++;
        LockSupport.unpark(parked);
    }

    private static void unsocket() throws Exception {
        answer();
        wire.out.write(1);
    }

    private static void collect() {
        while (asked == answered)
            Thread.yield();
        System.gc();
        answered++;
    }

    private static Thread start(String name, int n, Cast.Body turn) {
        return Cast.start(name, () -> {
            for (int i = 0; i < n; i++)
                turn.run();
        });
    }

    /** The alternating actions of the two threads of a kind; the first thread is traced. */
    private static void both(String kind, int n, Cast.Body turn, Cast.Body other) throws InterruptedException {
        both(kind, n, turn, kind + "-2", other);
    }

    private static void both(String kind, int n, Cast.Body turn, String otherName, Cast.Body other) throws InterruptedException {
        Thread first = start(kind, n, turn);
        Thread second = other == null ? null : start(otherName, n, other);
        first.join();
        if (second != null)
            second.join();
    }

    private static void run(String kind, int n) throws Exception {
        switch (kind) {
        case "sleep": both(kind, n, Splits::sleep, null); break;
        case "monitor": both(kind, n, Splits::monitor, Splits::unmonitor); break;
        case "queue": both(kind, n, Splits::queue, Splits::unqueue); break;
        case "named": both(kind, n, Splits::named, "a thread with a long name", Splits::unqueue); break;
        case "park": both(kind, n, Splits::park, Splits::unpark); break;
        case "socket":
            wire = new Wire();
            both(kind, n, Splits::socket, Splits::unsocket);
            break;
        case "enter": both(kind, n, Splits::enter, Splits::keep); break;
        case "again": both(kind, n, Splits::again, null); break;
        case "gc": both(kind, n, Splits::gc, null); break;
        case "stop": both(kind, n, Splits::stop, Splits::collect); break;
        case "busy": both(kind, n, Splits::busy, null); break;
        default:
            throw new IllegalArgumentException(kind);
        }
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int n = Integer.parseInt(args[1]);
        stage.awaitGo();
        for (int i = 2; i < args.length; i++) {
            run(args[i], n);
            stage.expect("live.Splits", args[i], n, 0);
        }
        stage.finish();
    }
}
