// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.PrintWriter;
import java.lang.management.ManagementFactory;

/**
 * Allocating STAGE THREADS CALLS [virtual]: each call allocates, and ThreadMXBean is asked before and after it. It does not
 * know virtual threads: their calls allocate arrays of known size, and are parked between them, while others allocate on
 * their carriers. `sizes` gets a line "NUMBER BYTES PARKED" for each call.
 */
public class Allocating {
    static final com.sun.management.ThreadMXBean BEAN = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    static final int DEEP = 200;

    static volatile Object sink;

    static void call(int number, int kind, int size) {
        switch (kind) {
        case 0: break;
        case 1: sink = new Object(); break;
        case 2: sink = new byte[size]; break;
        case 3: sink = new long[size][2]; break;
        case 4: sink = "number " + number; break;
        case 5: deep(number, size % DEEP); break;
        default: sink = new byte[(1 << 18) + size]; break; // outside of the thread's buffer, mostly
        }
        if (kind == 1)
            throw new IllegalStateException();
    }

    /** Calls in a call, more than have a place in a slot. */
    static void deep(int number, int depth) {
        sink = new int[depth];
        if (depth > 0)
            deep(number, depth - 1);
    }

    static long now() {
        return BEAN.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    static long asked() {
        long least = Long.MAX_VALUE;

        for (int i = 0; i < 20_000; i++) {
            long before = now();
            least = Math.min(least, now() - before);
        }
        return least;
    }

    static void run(int first, int calls, long[] bytes) {
        long own = asked(), seed = first * 31L + 7;

        for (int i = 0; i < calls; i++) {
            seed = seed * 6364136223846793005L + 1442695040888963407L;
            int random = (int) (seed >>> 33), kind = random % 200 == 0 ? 6 : random % 6;
            long before = now();
            try {
                call(first + i, kind, random / 200 % 1000);
            } catch (IllegalStateException e) {
                sink = null;
            }
            bytes[first + i] = now() - before - own;
        }
    }

    static void parked(int number, int arrays) throws InterruptedException {
        for (int i = 0; i < arrays; i++) {
            sink = new byte[8 * (i + number % 50)];
            if (i % 3 == 0)
                Thread.sleep(1);
            else
                Thread.yield();
        }
    }

    /** With a header of 16 bytes, as those of all but compact objects have. */
    static long size(int number, int arrays) {
        long sum = 0;

        for (int i = 0; i < arrays; i++)
            sum += 16 + 8 * (i + number % 50);
        return sum;
    }

    static void runVirtual(int first, int calls, long[] bytes) {
        try {
            for (int i = 0; i < calls; i++) {
                int arrays = i % 7;

                sink = new byte[1 << 16];
                parked(first + i, arrays);
                bytes[first + i] = size(first + i, arrays);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What the JDK links when a virtual thread first waits, once its classes have hooks, is in no call. */
    static void park() {
        try {
            for (int i = 0; i < 20; i++) {
                Thread.sleep(1);
                Thread.yield();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static Thread start(Runnable task, boolean virtual) throws ReflectiveOperationException {
        if (virtual)
            return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
        Thread thread = new Thread(task);
        thread.start();
        return thread;
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int threads = Integer.parseInt(args[1]), calls = Integer.parseInt(args[2]);
        long[] bytes = new long[threads * calls];
        boolean virtual = args.length > 3;
        Thread[] all = new Thread[threads];

        stage.awaitGo();
        if (virtual)
            start(Allocating::park, true).join();
        for (int t = 0; t < threads; t++) {
            int first = t * calls;

            all[t] = start(virtual ? () -> runVirtual(first, calls, bytes) : () -> run(first, calls, bytes), virtual);
        }
        for (Thread t : all)
            t.join();
        try (PrintWriter out = new PrintWriter(args[0] + "/sizes")) {
            for (int i = 0; i < bytes.length; i++)
                out.println(i + " " + bytes[i] + " " + (virtual ? i % calls % 7 : 0));
        }
        stage.finish();
    }
}
