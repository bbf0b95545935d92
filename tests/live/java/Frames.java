// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that sleep forever, each on a different kind of stack. "ready" says that all of them sleep. Runs on JDK 8,
 * too.
 */
public class Frames {
    interface Work {
        int run(int n);
    }

    static class Plain implements Work {
        public int run(int n) { return park(n); }
    }

    static volatile boolean sleep;
    static volatile int sink;

    static int park(int n) {
        do
            LockSupport.park();
        while (sleep);
        return n + 1;
    }

    /** Compiled, inlined, deep. */
    static int deep(int n, Work w) {
        if (n == 0)
            return w.run(n);
        return middle(n - 1, w) + 1;
    }

    static int middle(int n, Work w) { return inner(n, w) ^ 1; }

    static int inner(int n, Work w) {
        int r = deep(n, w);
        return r + n;
    }

    /** Code on the stack that becomes invalid when a class is loaded. */
    static int guess(Base b, int n) {
        int r = park(n);
        return r + b.value(n);
    }

    static class Base {
        int value(int n) { return n; }
    }

    static class Loaded extends Base {
        int value(int n) { return n + 7; }
    }

    /** Interpreted, through the VM: a class initializer. */
    static class Initialized {
        static final int VALUE = park(Integer.parseInt("1"));
    }

    /** Through a constructor that is called by reflection, which JDK 8 to 17 do in native code at first. */
    public static class Made {
        public Made() { park(1); }
    }

    static void warm() {
        Work w = new Plain();
        Base b = new Base();
        for (int i = 0; i < 20000; i++) {
            LockSupport.unpark(Thread.currentThread());
            sink += deep(i % 12, w);
            LockSupport.unpark(Thread.currentThread());
            sink += guess(b, i);
        }
    }

    static final List<Thread> started = new ArrayList<>();

    static void start(String name, final Runnable body) {
        Thread t = new Thread(body, name);
        t.setDaemon(true);
        t.start();
        started.add(t);
    }

    static boolean sleeps(Thread t) {
        return t.getState() == (t.getName().equals("blocked") ? Thread.State.BLOCKED : Thread.State.WAITING);
    }

    /** Each of them sleeps, and half a second later still does: none was only on its way. */
    static void awaitAll() throws InterruptedException {
        do {
            while (!started.stream().allMatch(Frames::sleeps))
                Thread.sleep(10);
            Thread.sleep(500);
        } while (!started.stream().allMatch(Frames::sleeps));
    }

    /** Lets the next virtual thread start. */
    static volatile CountDownLatch begun;

    static int parkVirtual(int n) {
        begun.countDown();
        return park(n);
    }

    /** Parked once, so that its older frames are in the heap; then pinned to its carrier by a class initializer. */
    static class Thawed {
        static final int VALUE = parkVirtual(2);
    }

    static class Pinned {
        static final int VALUE = parkVirtual(3);
    }

    static int thawed(int n) {
        if (n > 0)
            return thawed(n - 1) + 1;
        LockSupport.parkNanos(50000000);
        return Thawed.VALUE;
    }

    static int pinned(int n) { return n > 0 ? pinned(n - 1) + 1 : Pinned.VALUE; }

    /**
     * On JDK 21 and later. Returns when the body counts down. Two virtual threads that start at once may wait for each
     * other, for a class to be initialized for instance; the frames they have then stay in the heap.
     */
    static void startVirtual(Runnable body) throws InterruptedException {
        begun = new CountDownLatch(1);
        try {
            Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
            begun.await();
        } catch (ReflectiveOperationException e) {
            System.err.println("no virtual threads");
        }
    }

    static void make() {
        try {
            Constructor<Made> c = Made.class.getConstructor();
            c.newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static void monitor(Object lock) {
        synchronized (lock) {
            while (sleep)
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    return;
                }
        }
    }

    public static void main(String[] arguments) throws Exception {
        Stage stage = new Stage(arguments[0]);
        Object held = new Object();
        warm();
        sleep = true;
        startVirtual(() -> begun.countDown());
        startVirtual(() -> sink += thawed(10));
        startVirtual(() -> sink += pinned(10));
        start("compiled", () -> deep(40, new Plain()));
        start("deoptimised", () -> guess(new Base(), 3));
        start("initializer", () -> sink += Initialized.VALUE);
        start("reflection", Frames::make);
        start("sort", () -> new java.util.TreeSet<Integer>((x, y) -> park(x)).add(1));
        start("monitor", () -> monitor(new Object()));
        synchronized (held) {
            start("blocked", () -> monitor(held));
            awaitAll();
            sink += new Loaded().value(1);
            awaitAll();
            stage.mark("ready");
            stage.await("quit");
        }
    }
}
