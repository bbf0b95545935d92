// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.function.DoubleSupplier;

/**
 * The program of scripts/bench: measure the current cost of a call of work(), about 9 ns of real work that may be
 * inlined. Reads lines "measure WARM-MS MS" and answers with the ns per call and the number of calls; with "roots WARM-MS
 * MS" the calls are made by root(), 100 by each. Each sample is a
 * loop of its own; with the argument "active", one loop is entered once and never left. Times are CPU times of the calling
 * thread: on a machine whose CPUs are shared, it is often not on one. What its neighbours do to caches and to the core only
 * adds time, so the result is the lower quartile of many short samples.
 */
public class Bench {
    static final int BATCH = 500_000;
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    static volatile long activeCalls;
    static long activeThread;
    static int sink;
    static long calls;

    static final class Samples {
        private final double[] samples = new double[100_000];
        private int n;

        boolean isEmpty() {
            return n == 0;
        }

        void add(double sample) {
            if (n < samples.length)
                samples[n++] = sample;
        }

        double quartile() {
            Arrays.sort(samples, 0, n);
            return samples[n / 4];
        }
    }

    public static int work(int x) {
        for (int i = 0; i < 5; i++) {
            x ^= x << 13;
            x ^= x >>> 17;
            x ^= x << 5;
        }
        return x;
    }

    static int loop(int x, int n) {
        for (int i = 0; i < n; i++)
            x = work(x);
        return x;
    }

    static int root(int x) {
        return loop(x, 100);
    }

    static int roots(int x, int n) {
        for (int i = 0; i < n; i++)
            x = root(x);
        return x;
    }

    static void forever() {
        int x = 1;
        for (long calls = 1;; calls++) {
            x = work(x);
            if ((calls & 1023) == 0) {
                activeCalls = calls;
                sink = x;
            }
        }
    }

    static double separateLoop() {
        long start = THREADS.getCurrentThreadCpuTime();
        sink = loop(sink | 1, BATCH);
        calls += BATCH;
        return (double) (THREADS.getCurrentThreadCpuTime() - start) / BATCH;
    }

    static double rootsLoop() {
        long start = THREADS.getCurrentThreadCpuTime();
        sink = roots(sink | 1, BATCH / 100);
        calls += BATCH;
        return (double) (THREADS.getCurrentThreadCpuTime() - start) / BATCH;
    }

    static double active() {
        long calls = activeCalls, start = THREADS.getThreadCpuTime(activeThread);
        do
            Stage.sleep(20);
        while (activeCalls == calls);
        return (double) (THREADS.getThreadCpuTime(activeThread) - start) / (activeCalls - calls);
    }

    static double quartile(DoubleSupplier next, long warm, long ms) {
        Samples samples = new Samples();
        long start = System.nanoTime(), now;
        calls = 0;
        do {
            double sample = next.getAsDouble();
            now = (System.nanoTime() - start) / 1_000_000;
            if (now > warm)
                samples.add(sample);
        } while (now < warm + ms || samples.isEmpty());
        return samples.quartile();
    }

    public static void main(String[] args) throws Exception {
        boolean active = args.length > 0;
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        if (active) {
            Thread thread = new Thread(Bench::forever);
            thread.setDaemon(true);
            activeThread = thread.getId();
            thread.start();
        }
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            DoubleSupplier next = active ? Bench::active : words[0].equals("roots") ? Bench::rootsLoop : Bench::separateLoop;
            double ns = quartile(next, Long.parseLong(words[1]), Long.parseLong(words[2]));
            System.out.println(ns + " " + calls);
        }
    }
}
