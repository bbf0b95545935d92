// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.util.concurrent.CountDownLatch;

/** Threads DIR together|one-by-one|virtual THREADS CALLS: each thread calls work() CALLS times. */
public class Threads {
    static int work(int x) {
        return x * 31 + 7;
    }

    static int sink;

    static void calls(int n) {
        int x = 0;
        for (int i = 0; i < n; i++)
            x = work(x);
        sink = x;
    }

    /** All threads start together. */
    static void together(int threads, int n) throws Exception {
        CountDownLatch shot = new CountDownLatch(1);
        Thread[] all = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            all[i] = new Thread(() -> {
                try {
                    shot.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                calls(n);
            }, "together-" + i);
            all[i].start();
        }
        shot.countDown();
        for (Thread thread : all)
            thread.join();
    }

    /** Short-lived threads, a few at a time: their native threads, stacks and JNI environments are reused. */
    static void oneByOne(int threads, int n) throws Exception {
        Thread[] some = new Thread[8];
        for (int i = 0; i < threads; i++) {
            int at = i % some.length;
            if (some[at] != null)
                some[at].join();
            some[at] = new Thread(() -> calls(n), "short-" + i);
            some[at].start();
        }
        for (Thread thread : some)
            thread.join();
    }

    /** Virtual threads (Java 21), by reflection, to compile with 17. */
    static void virtual(int threads, Runnable body) throws Exception {
        Thread[] all = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            type.getMethod("name", String.class).invoke(builder, "virtual-" + i);
            all[i] = (Thread) type.getMethod("start", Runnable.class).invoke(builder, body);
        }
        for (Thread thread : all)
            thread.join();
    }

    static void callsAndParks(int n) {
        for (int k = 0; k < n; k++) {
            calls(1);
            Stage.sleep(1);
        }
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int threads = Integer.parseInt(args[2]), n = Integer.parseInt(args[3]);
        calls(20000);
        stage.awaitGo();
        switch (args[1]) {
        case "together": together(threads, n); break;
        case "one-by-one": oneByOne(threads, n); break;
        default: virtual(threads, () -> callsAndParks(n));
        }
        stage.expectThreads("live.Threads", "work", threads, n);
        System.out.println("threads: " + threads + " with " + n + " calls each");
        stage.finish();
    }
}
