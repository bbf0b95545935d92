// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.locks.LockSupport;

/**
 * The program of scripts/bench-switch. Two threads pass a byte back and forth through two pipes: each wakes the other
 * and sleeps. Reads lines "inside MS" and "outside MS", does that for MS ms inside calls of inside(), which is traced,
 * or outside any, and prints the ns of CPU per switch; the kernel counts both for the two threads. Other work on the
 * machine only adds time, so the result is the lower quartile of many short samples. With the argument "connection" they pass it
 * through a connection.
 *
 * "parked MS" and "unparked MS" do the same with two virtual threads on one carrier, inside and outside of such calls.
 * They park and unpark each other; the result is the time per park.
 */
public class BenchSwitch {
    static final int BATCH = 5000;
    static final CyclicBarrier barrier = new CyclicBarrier(3);
    static volatile boolean within;

    static void relay(ReadableByteChannel from, WritableByteChannel to, boolean first, int n) {
        ByteBuffer one = ByteBuffer.allocateDirect(1);
        try {
            for (int i = first ? 0 : 1; i < 2 * n + (first ? 0 : 1); i++) {
                one.clear();
                if (i % 2 == 0)
                    to.write(one);
                else
                    from.read(one);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void inside(ReadableByteChannel from, WritableByteChannel to, boolean first, int n) {
        relay(from, to, first, n);
    }

    static final class Half extends Thread {
        private final ReadableByteChannel from;
        private final WritableByteChannel to;
        private final boolean first;
        private Path proc;
        long ns, switches; /* in the last batch */

        Half(ReadableByteChannel from, WritableByteChannel to, boolean first) {
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

    static final class Turns {
        private final Thread[] threads = new Thread[2];
        private volatile int turn;

        /** Park BATCH times. */
        void take(int own) {
            for (int i = 0; i < BATCH; i++) {
                while (turn != own)
                    LockSupport.park();
                turn = 1 - own;
                LockSupport.unpark(threads[1 - own]);
            }
        }

        /** Returns the ns per park. */
        double run() throws ReflectiveOperationException, InterruptedException {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null); // JDK 21 and later
            Method of = Class.forName("java.lang.Thread$Builder").getMethod("unstarted", Runnable.class);
            for (int i = 0; i < 2; i++) {
                int own = i;
                threads[i] = (Thread) of.invoke(builder, (Runnable) () -> {
                    if (within)
                        inside(this, own);
                    else
                        take(own);
                });
            }
            long begin = System.nanoTime();
            for (Thread t : threads)
                t.start();
            for (Thread t : threads)
                t.join();
            return (System.nanoTime() - begin) / (2.0 * BATCH);
        }
    }

    static void inside(Turns turns, int own) {
        turns.take(own);
    }

    private static double sample(boolean virtual, Half ping, Half pong) throws Exception {
        if (virtual)
            return new Turns().run();
        barrier.await();
        barrier.await();
        return (double) (ping.ns + pong.ns) / (ping.switches + pong.switches);
    }

    private static SocketChannel[] connection() throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            SocketChannel one = SocketChannel.open(server.getLocalAddress());
            return new SocketChannel[] {one, server.accept()};
        }
    }

    public static void main(String[] args) throws Exception {
        Half ping, pong;
        if (args.length > 0) { // "connection"
            SocketChannel[] ends = connection();
            ping = new Half(ends[0], ends[0], true);
            pong = new Half(ends[1], ends[1], false);
        } else {
            Pipe there = Pipe.open(), back = Pipe.open();
            ping = new Half(back.source(), there.sink(), true);
            pong = new Half(there.source(), back.sink(), false);
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            List<Double> samples = new ArrayList<>();
            long end = System.nanoTime() + Long.parseLong(line.split(" ")[1]) * 1_000_000;
            within = line.startsWith("inside") || line.startsWith("parked");
            while (samples.isEmpty() || System.nanoTime() < end)
                samples.add(sample(line.contains("parked"), ping, pong));
            Collections.sort(samples);
            System.out.println(samples.get(samples.size() / 4));
        }
        System.exit(0);
    }
}
