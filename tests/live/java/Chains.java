// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;

/**
 * Chains DIR N: calls of run(String) whose time is spent by others, N of each of five kinds. Each thread says what it did by
 * itself, and until when, in DIR/chains: "did CALL THREAD STATE FROM TO" in ns of System.nanoTime(), for calls "call CALL main KIND
 * FROM TO". Whoever holds something says so before its caller goes for it.
 */
public class Chains {
    private static final Object first = new Object(), second = new Object();
    private static final StringBuilder log = new StringBuilder();
    private static volatile int call;
    private static volatile long x;

    /** A thread that runs the steps from its queue. */
    static class Worker extends Thread {
        final SynchronousQueue<Callable<?>> work = new SynchronousQueue<>();

        Worker(String name) {
            super(name);
            setDaemon(true);
            start();
        }

        void perform(Callable<?> c) throws Exception {
            c.call();
        }

        @Override
        public void run() {
            try {
                for (;;) {
                    perform(work.take());
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        }
    }

    private static synchronized void say(String line) {
        log.append(line).append('\n');
    }

    private static void did(String state, long from) {
        say("did " + call + " " + Thread.currentThread().getName() + " " + state + " " + from + " " + System.nanoTime());
    }

    static Object sleeps(int ms) throws Exception {
        long from = System.nanoTime();

        Thread.sleep(ms);
        did("sleep", from);
        return null;
    }

    static Object computes(int ms) {
        long from = System.nanoTime();

        while (System.nanoTime() < from + ms * 1000000L) {
            x++;
        }
        did("cpu", from);
        return null;
    }

    /** Do something with a lock. The caller goes on when the lock is held. */
    private static void hold(Worker by, Object lock, Callable<?> what) throws Exception {
        SynchronousQueue<Object> held = new SynchronousQueue<>();

        by.work.put(() -> {
            synchronized (lock) {
                held.put(lock);
                return what.call();
            }
        });
        held.take();
    }

    static Object takes(Object lock) {
        synchronized (lock) {
            return lock;
        }
    }

    private final Worker b = new Worker("holder"), c = new Worker("worker");
    private final ExecutorService pool = Executors.newFixedThreadPool(1, task -> new Thread(task, "pooled"));
    private final Socket here, there;

    Chains() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            here = new Socket(server.getInetAddress(), server.getLocalPort());
            there = server.accept();
        }
        here.setTcpNoDelay(true);
        there.setTcpNoDelay(true);
    }

    private Object answer() throws Exception {
        computes(12);
        there.getOutputStream().write(1);
        return null;
    }

    /** The chain before the call, if another thread has to be in it by then. */
    private void prepare(String kind) throws Exception {
        switch (kind) {
        case "sleeper":
            hold(b, first, () -> sleeps(15));
            break;
        case "locks":
            hold(c, second, () -> computes(15));
            hold(b, first, () -> takes(second));
            break;
        case "pool":
            pool.submit(() -> perform(() -> computes(12)));
            break;
        case "socket":
            hold(b, first, () -> here.getInputStream().read());
            c.work.put(this::answer);
            break;
        default:
            break;
        }
    }

    Object run(String kind) throws Exception {
        switch (kind) {
        case "pool":
            return pool.submit(() -> perform(() -> sleeps(5))).get();
        case "own":
            sleeps(6);
            return computes(6);
        default:
            return takes(first);
        }
    }

    /** The pool's thread exists before the recording begins. */
    private void warmUp() throws Exception {
        pool.submit(() -> computes(1)).get();
    }

    /** In a traced method, so that its thread is observed from the task's beginning on. */
    static Object perform(Callable<?> c) throws Exception {
        return c.call();
    }

    private void once(String kind) throws Exception {
        long from;

        call++;
        prepare(kind);
        from = System.nanoTime();
        run(kind);
        say("call " + call + " main " + kind + " " + from + " " + System.nanoTime());
        Thread.sleep(5);
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        Chains chains = new Chains();
        int n = Integer.parseInt(args[1]);

        chains.warmUp();
        stage.awaitGo();
        for (int i = 0; i < n; i++) {
            for (String kind : new String[] {"sleeper", "locks", "pool", "socket", "own"}) {
                chains.once(kind);
            }
        }
        Files.write(Paths.get(args[0], "chains"), log.toString().getBytes(StandardCharsets.US_ASCII));
        chains.pool.shutdown();
        stage.finish();
    }
}
