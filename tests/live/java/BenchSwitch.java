// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

/**
 * The program of scripts/bench-switch. Two threads pass a byte back and forth through two pipes: each wakes the other
 * and sleeps. Reads lines "inside MS" and "outside MS", does that for MS ms inside calls of inside(), which is traced,
 * or outside any, and prints the ns of CPU per switch; the kernel counts both for the two threads. Other work on the
 * machine only adds time, so the result is the lower quartile of many short samples.
 */
public class BenchSwitch {
    static final int BATCH = 5000;
    static final CyclicBarrier barrier = new CyclicBarrier(3);
    static volatile boolean within;

    static void relay(Pipe from, Pipe to, boolean first, int n) {
        ByteBuffer one = ByteBuffer.allocateDirect(1);
        try {
            for (int i = first ? 0 : 1; i < 2 * n + (first ? 0 : 1); i++) {
                one.clear();
                if (i % 2 == 0)
                    to.sink().write(one);
                else
                    from.source().read(one);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void inside(Pipe from, Pipe to, boolean first, int n) {
        relay(from, to, first, n);
    }

    static final class Half extends Thread {
        private final Pipe from, to;
        private final boolean first;
        private Path proc;
        long ns, switches; /* in the last batch */

        Half(Pipe from, Pipe to, boolean first) {
            super(first ? "ping" : "pong");
            this.from = from;
            this.to = to;
            this.first = first;
            setDaemon(true);
            start();
        }

        private long cpu() throws IOException {
            return Long.parseLong(new String(Files.readAllBytes(proc.resolve("schedstat"))).split(" ")[0]);
        }

        private long switches() throws IOException {
            long n = 0;
            for (String line : Files.readAllLines(proc.resolve("status")))
                if (line.contains("voluntary_ctxt_switches"))
                    n += Long.parseLong(line.replaceAll(".*\\s", ""));
            return n;
        }

        private void batch() throws IOException {
            inside(from, to, first, 1); // the thread gets a slot
            long switchesBefore = switches(), before = cpu();
            if (within)
                inside(from, to, first, BATCH);
            else
                relay(from, to, first, BATCH);
            ns = cpu() - before;
            switches = switches() - switchesBefore;
        }

        @Override public void run() {
            try {
                proc = Paths.get("/proc/self/task", new java.io.File("/proc/thread-self").getCanonicalFile().getName());
                for (;;) {
                    barrier.await();
                    batch();
                    barrier.await();
                }
            } catch (IOException | InterruptedException | BrokenBarrierException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Pipe there = Pipe.open(), back = Pipe.open();
        Half ping = new Half(back, there, true), pong = new Half(there, back, false);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            List<Double> samples = new ArrayList<>();
            long end = System.nanoTime() + Long.parseLong(line.split(" ")[1]) * 1_000_000;
            within = line.startsWith("inside");
            while (samples.isEmpty() || System.nanoTime() < end) {
                barrier.await();
                barrier.await();
                samples.add((double) (ping.ns + pong.ns) / (ping.switches + pong.switches));
            }
            Collections.sort(samples);
            System.out.println(samples.get(samples.size() / 4));
        }
        System.exit(0);
    }
}
