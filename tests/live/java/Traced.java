// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.File;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;

/**
 * Threads that are in distributed traces, which a library publishes (tests/live/traced.c), and calls whose arguments are the
 * ids of the trace that their thread is in. So each event can be checked by itself.
 */
public class Traced {
    static final int KINDS = 14; // the first ten are those of traced.c
    static final int SURE = 0, UNLOADED = 1, LATE = 2, VIRTUAL = 3, FOLLOWED = 4;

    static native void load(String library);

    static native void unload();

    /** Publish what this program is; again: it has changed. */
    static native void describe(String service, String version);

    /** From now on each virtual thread's record is published whenever it runs. */
    static native void follow();

    static native void set(int kind, long hi, long lo, long span);

    static void call(long hi, long lo, long span, int phase) {
        if (lo % 5 == 0 && lo != 0)
            throw new IllegalStateException();
    }

    static void plain() {
    }

    /** A thread's own idea of the trace that it is in. */
    static class State {
        final Random random;
        long hi, lo, span;

        State(long seed) {
            random = new Random(seed);
        }

        void change(int kind) {
            boolean known = kind <= 1;
            if (kind >= 10)
                return;
            hi = known ? random.nextLong() : 0;
            lo = known ? random.nextLong() | 1 : 0;
            span = known ? random.nextLong() | 1 : 0;
            set(kind, known ? hi : 7, known ? lo : 8, known ? span : 9);
        }

        void call(int phase) {
            try {
                Traced.call(hi, lo, span, phase);
            } catch (IllegalStateException e) {
                // as it should
            }
            plain();
        }
    }

    static File stage;

    static void await(String name) throws InterruptedException {
        while (!new File(stage, name).exists())
            Thread.sleep(2);
    }

    static void platform(CyclicBarrier barrier, int number, int calls) throws Exception {
        State s = new State(number);
        barrier.await();
        for (int i = 0; i < calls; i++) {
            s.change(s.random.nextInt(KINDS));
            s.call(SURE);
        }
        s.change(0); // the pointer to a good record remains, where the library was
        barrier.await();
        barrier.await(); // now it is gone
        s.hi = s.lo = s.span = 0;
        for (int i = 0; i < 100; i++)
            s.call(UNLOADED);
        barrier.await();
        barrier.await(); // and is back
        while (!new File(stage, "late").exists()) {
            s.change(s.random.nextInt(KINDS));
            s.call(LATE);
            Thread.sleep(20);
        }
    }

    /** Each virtual thread changes the record of whatever carrier it is on, and leaves it behind if nobody follows it. */
    static void virtual(int number, int calls, int phase) throws Exception {
        State s = new State(number);
        for (int i = 0; i < calls; i++) {
            if (i % 4 == 0)
                s.change(s.random.nextInt(KINDS));
            s.call(phase);
            Thread.sleep(s.random.nextInt(3));
            s.call(phase);
        }
    }

    interface Body {
        void run() throws Exception;
    }

    static Thread start(boolean virtual, Body body) throws Exception {
        Runnable r = () -> {
            try {
                body.run();
            } catch (Exception e) {
                e.printStackTrace();
                Runtime.getRuntime().halt(3);
            }
        };
        if (virtual)
            return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, r);
        Thread t = new Thread(r);
        t.start();
        return t;
    }

    /** Arguments: stage, the native methods, the publishing library, threads, calls of each. */
    public static void main(String[] arguments) throws Exception {
        int threads = Integer.parseInt(arguments[3]), calls = Integer.parseInt(arguments[4]);
        boolean virtual = arguments.length > 5, followed = virtual && arguments[5].equals("followed");
        CyclicBarrier barrier = new CyclicBarrier(threads + 1);
        Thread[] all = new Thread[threads];
        stage = new File(arguments[0]);
        System.load(arguments[1]);
        load(arguments[2]);
        describe("shop", "1");
        if (followed)
            follow();
        new File(stage, "ready").createNewFile();
        await("go");
        for (int i = 0; i < threads; i++) {
            int number = i;
            all[i] = start(virtual, virtual ? () -> virtual(number, calls, followed ? FOLLOWED : VIRTUAL) : () -> platform(barrier, number, calls));
        }
        if (!virtual) {
            barrier.await();
            await("change");
            describe("shop", "2");
            barrier.await();
            unload();
            barrier.await();
            barrier.await();
            load(arguments[2]);
            barrier.await();
        }
        new File(stage, "running").createNewFile();
        for (Thread t : all)
            t.join();
        new File(stage, "done").createNewFile();
        await("quit");
    }
}
