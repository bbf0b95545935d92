// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Lent DIR ROUNDS platform|virtual: what lasts from one call with an object to another one. Threads ask two servers and do not wait
 * for the answers, which others read; and they borrow from a pool, and some let another thread give back what they have borrowed, which is idle until the next loan.
 * `log` has a line for each that has ended: "kind number least most peer begin-thread end-thread", where ns least and most bound
 * its time from both sides. `lost` has what never ended: "asks collected".
 */
public class Lent {
    static final int THREADS = 4, NEVER = 97, ENDED_ONLY = 7;

    static final List<String> log = new ArrayList<>();

    /** Stamps before and in the first call, and before and in the second one. */
    static void note(String kind, long number, long[] stamp, String peer, String thread) {
        String line = String.join(" ", kind, "" + number, "" + (stamp[2] - stamp[1]), "" + (stamp[3] - stamp[0]), peer,
                thread, Thread.currentThread().getName());
        synchronized (log) {
            log.add(line);
        }
    }

    static class Ask {
        final long number;
        final String peer;
        final String thread = Thread.currentThread().getName();
        final long[] stamp = new long[4];

        Ask(long number, String peer) {
            this.number = number;
            this.peer = peer;
        }
    }

    static class Client {
        final String peer;
        final DataOutputStream out;
        final DataInputStream in;
        final Map<Long, Ask> asked = new ConcurrentHashMap<>();
        final CountDownLatch closed = new CountDownLatch(1);

        Client(int port) throws IOException {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
            s.setTcpNoDelay(true);
            peer = "127.0.0.1:" + port;
            out = new DataOutputStream(s.getOutputStream());
            in = new DataInputStream(s.getInputStream());
            new Thread(this::read, "reader-" + port).start();
        }

        /** An answer may come before this has returned. */
        void send(Ask a) {
            a.stamp[1] = System.nanoTime();
            asked.put(a.number, a);
            tell(a.number);
            if (a.number % 10 == 3)
                Stage.sleep(2);
        }

        void tell(long number) {
            try {
                synchronized (out) {
                    out.writeLong(number);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** What is done with the answer is not part of the time. */
        void done(Ask a) {
            a.stamp[3] = System.nanoTime();
            if (a.number % 50 == 4)
                Stage.sleep(1);
        }

        void read() {
            try {
                for (long number = in.readLong(); number >= 0; number = in.readLong()) {
                    Ask a = asked.remove(number);
                    a.stamp[2] = System.nanoTime();
                    done(a);
                    note("ask", number, a.stamp, peer, a.thread);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            closed.countDown();
        }
    }

    /** A server that forgets each 97th. */
    static int serve(int slow) throws IOException {
        ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        Thread t = new Thread(() -> {
            try (Socket s = server.accept()) {
                s.setTcpNoDelay(true);
                DataInputStream in = new DataInputStream(s.getInputStream());
                DataOutputStream out = new DataOutputStream(s.getOutputStream());
                long number;
                do {
                    number = in.readLong();
                    if (number >= 0 && number % 20 < slow)
                        Stage.sleep(1);
                    if (number % NEVER != NEVER - 1)
                        out.writeLong(number);
                } while (number >= 0);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }, "server");
        t.setDaemon(true);
        t.start();
        return server.getLocalPort();
    }

    static class Loan {
        long number;
        String thread;
        long[] stamp;
        /** Of the loan before, and who gave it back. */
        long[] given;
        String giver;
    }

    static class Pool {
        final ArrayBlockingQueue<Loan> free = new ArrayBlockingQueue<>(10);
        final AtomicLong loans = new AtomicLong();

        Pool() {
            for (int i = 0; i < 10; i++)
                free.add(new Loan());
        }

        Loan borrow() throws InterruptedException {
            Loan l = free.take();
            l.number = loans.incrementAndGet();
            l.thread = Thread.currentThread().getName();
            l.stamp = new long[4];
            l.stamp[0] = System.nanoTime();
            return l;
        }

        /** Another thread may borrow it before this has returned. */
        void giveBack(Loan l, long number) {
            l.stamp[3] = System.nanoTime();
            note("loan", number, l.stamp, "-", l.thread);
            l.given = l.stamp;
            l.giver = Thread.currentThread().getName();
            free.add(l);
            if (number % 100 == 1)
                Stage.sleep(1);
        }
    }

    static final Pool pool = new Pool();
    static final ArrayBlockingQueue<Loan> given = new ArrayBlockingQueue<>(3);
    static final List<Ask> kept = new ArrayList<>();

    static void giveBack(Loan l) {
        l.stamp[2] = System.nanoTime();
        pool.giveBack(l, l.number);
    }

    static void round(Client[] clients, int thread, int rounds, int i) throws InterruptedException {
        Client c = clients[i % clients.length];
        Ask a = new Ask((long) thread * rounds + i, c.peer);
        Loan l = pool.borrow();
        l.stamp[1] = System.nanoTime();
        if (l.given != null)
            note("idle", l.number, new long[] {l.given[2], l.given[3], l.stamp[0], l.stamp[1]}, "-", l.giver);
        a.stamp[0] = System.nanoTime();
        c.send(a);
        if (a.number % NEVER == NEVER - 1)
            synchronized (kept) {
                kept.add(a);
            }
        if (i % 3 != 0 || !given.offer(l))
            giveBack(l);
        Loan others = given.poll();
        if (others != null)
            giveBack(others);
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int rounds = Integer.parseInt(args[1]);
        List<Thread> threads = new ArrayList<>();
        Client[] clients = {new Client(serve(1)), new Client(serve(3))};
        Ask early = new Ask(-1, "-");
        pool.borrow(); // nobody gives it back, and no recording has seen it
        stage.awaitGo();
        for (int t = 0; t < THREADS; t++) {
            int thread = t;
            threads.add(Valued.start(args[2].equals("virtual"), () -> {
                Thread.currentThread().setName("asker-" + thread);
                try {
                    for (int i = 0; i < rounds; i++)
                        round(clients, thread, rounds, i);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }));
        }
        for (Thread thread : threads)
            thread.join();
        for (Loan l = given.poll(); l != null; l = given.poll())
            giveBack(l);
        for (Client c : clients) {
            c.tell(-1);
            c.closed.await();
        }
        for (int i = 0; i < ENDED_ONLY; i++)
            clients[0].done(early);
        stage.write("log", String.join("\n", log) + "\n");
        stage.write("open", kept.size() + "\n");
        stage.finish();
        for (Client c : clients)
            c.asked.clear();
    }
}
