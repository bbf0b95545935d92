// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.stream.DoubleStream;

/**
 * BenchMany one|all THREADS: THREADS threads call one method, or 5,000 methods in turn (BenchManySource). Answers
 * requests as Bench does, with ns of CPU per call, so that neither other work nor more threads than processors add
 * time. Starts when all methods have been called often enough to be compiled and the JIT has been idle for a second.
 */
public class BenchMany {
    static final int METHODS = BenchManySource.CLASSES * BenchManySource.METHODS, BATCH = 10 * METHODS;
    static final long COMPILED = 6000L * METHODS;
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    static final CompilationMXBean JIT = ManagementFactory.getCompilationMXBean();

    static volatile int sink;
    static volatile boolean measures, ends;

    /** The samples of one thread, and its number of calls. */
    static final class Worker extends Thread {
        final MethodHandle calls5000;
        final double[] samples = new double[100_000];
        int n;
        volatile long calls;

        Worker(MethodHandle calls5000) {
            this.calls5000 = calls5000;
        }

        int batch(int x) throws Throwable {
            for (int i = 0; i < BATCH; i += METHODS)
                x = (int) calls5000.invokeExact(x | 1);
            return x;
        }

        @Override
        public void run() {
            int x = 1;
            try {
                while (!ends || n == 0) {
                    boolean counts = measures;
                    long before = THREADS.getCurrentThreadCpuTime();
                    x = batch(x);
                    calls += BATCH;
                    if (counts && n < samples.length)
                        samples[n++] = (double) (THREADS.getCurrentThreadCpuTime() - before) / BATCH;
                }
            } catch (Throwable t) {
                throw new IllegalStateException(t);
            }
            sink = x;
        }
    }

    static long calls(Worker[] workers) {
        return Arrays.stream(workers).mapToLong(w -> w.calls).sum();
    }

    static void warm(Worker[] workers, long ms) {
        long start = System.nanoTime(), rests = start, compiled = -1, now = start;
        while (now - start < ms * 1_000_000 || calls(workers) < COMPILED || now - rests < 1_000_000_000) {
            Stage.sleep(20);
            now = System.nanoTime();
            if (JIT.getTotalCompilationTime() != compiled)
                rests = now;
            compiled = JIT.getTotalCompilationTime();
        }
    }

    static String measure(MethodHandle calls5000, int threads, long warm, long ms) throws InterruptedException {
        Worker[] workers = new Worker[threads];
        measures = ends = false;
        for (int i = 0; i < threads; i++) {
            workers[i] = new Worker(calls5000);
            workers[i].start();
        }
        warm(workers, warm);
        measures = true;
        Stage.sleep(ms);
        ends = true;
        for (Worker worker : workers)
            worker.join();
        double[] sorted = Arrays.stream(workers).flatMapToDouble(w -> DoubleStream.of(w.samples).limit(w.n)).sorted().toArray();
        return sorted[sorted.length / 4] + " " + calls(workers);
    }

    public static void main(String[] args) throws Exception {
        MethodHandle calls5000 = MethodHandles.lookup().findStatic(Class.forName("live.ManyCalls"), args[0],
                MethodType.methodType(int.class, int.class));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            System.out.println(measure(calls5000, Integer.parseInt(args[1]), Long.parseLong(words[1]), Long.parseLong(words[2])));
        }
    }
}
