// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * Spent STAGE THREADS CALLS [apart|calls]: slow calls of call() burn 60, 30 and 10 per cent of their CPU time in most(), some() and
 * few(), in turn, and fast ones the same time in none(). Apart: the slow calls of a thread burn in the one method of its name,
 * and for each call there are new threads. Calls: all time is spent in calls of small methods.
 */
public class Spent {
    static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();
    static final long SLOW_NS = 40_000_000, SLICE_NS = 1_000_000;

    static final ThreadLocal<byte[]> BYTES = ThreadLocal.withInitial(() -> new byte[16 * 1024]);

    static volatile long sink;

    static void most(long until) {
        while (BEAN.getCurrentThreadCpuTime() < until) {
            long x = sink;
            for (int i = 0; i < 2000; i++)
                x = x * 6364136223846793005L + i;
            sink = x;
        }
    }

    /* The copying is done by one of HotSpot's stubs. */
    static void some(long until) {
        while (BEAN.getCurrentThreadCpuTime() < until) {
            byte[] bytes = BYTES.get();
            for (int i = 0; i < 8; i++)
                System.arraycopy(bytes, 0, bytes, 8 * 1024, 8 * 1024 - i);
            sink = bytes[8 * 1024];
        }
    }

    static void few(long until) {
        while (BEAN.getCurrentThreadCpuTime() < until) {
            double x = sink;
            for (int i = 0; i < 700; i++)
                x = Math.sqrt(x + i);
            sink = (long) x;
        }
    }

    static void none(long until) {
        while (BEAN.getCurrentThreadCpuTime() < until) {
            long x = sink;
            for (int i = 0; i < 2000; i++)
                x = x * 3202034522624059733L - i;
            sink = x;
        }
    }

    static void call(long length) {
        long at = BEAN.getCurrentThreadCpuTime();

        if (length < SLOW_NS) {
            none(at + length);
            return;
        }
        for (long spent = 0; spent < length; spent += 10 * SLICE_NS) {
            most(at + spent + 6 * SLICE_NS);
            some(at + spent + 9 * SLICE_NS);
            few(at + spent + 10 * SLICE_NS);
        }
    }

    static void run(int calls) {
        for (int i = 0; i < calls; i++) {
            call(SLOW_NS);
            for (int k = 0; k < 10; k++)
                call(SLOW_NS / 20);
        }
    }

    static long plus(long x) {
        return x + 1;
    }

    static long times(long x, int i) {
        long y = x * 3;
        return y + i;
    }

    static void small() {
        long until = BEAN.getCurrentThreadCpuTime() + SLOW_NS;
        while (BEAN.getCurrentThreadCpuTime() < until) {
            long x = sink;
            for (int i = 0; i < 500; i++)
                x = times(plus(x), i);
            sink = x;
        }
    }

    /* 0: most, 1: some, 2: few, 3: small */
    static void call(int method) {
        long until = BEAN.getCurrentThreadCpuTime() + SLOW_NS;

        if (method == 0)
            most(until);
        else if (method == 1)
            some(until);
        else if (method == 2)
            few(until);
        else
            small();
    }

    static Thread start(int number, int calls, boolean apart, boolean small) {
        String[] names = {"most", "some", "few"};
        Thread t = new Thread(() -> {
            if (small)
                for (int i = 0; i < calls; i++)
                    call(3);
            else if (apart)
                call(number % 3);
            else
                run(calls);
        }, names[number % 3] + "-" + number);

        t.start();
        return t;
    }

    public static void main(String[] args) throws InterruptedException {
        Stage stage = new Stage(args[0]);
        boolean apart = args.length > 3 && args[3].equals("apart"), small = args.length > 3 && !apart;
        int calls = Integer.parseInt(args[2]);
        Thread[] all = new Thread[Integer.parseInt(args[1])];

        stage.awaitGo();
        for (int round = 0; round < (apart ? calls : 1); round++) {
            for (int i = 0; i < all.length; i++)
                all[i] = start(i, calls, apart, small);
            for (Thread t : all)
                t.join();
        }
        stage.finish();
    }
}
