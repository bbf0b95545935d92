// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

/**
 * Kept DIR CALLS platform|virtual [twice]: statements that do not know their text, prepared and executed by several threads. No
 * thread is more than 50 rounds ahead of another one, so no statement waits while thousands are prepared. `twice`: once more,
 * when there is `more`.
 */
public class Kept {
    static final int THREADS = 4;
    static final int POOL = 50;

    static class Statement {
        int times;

        /** The caller says which text it was prepared with, or null. */
        int execute(String want) {
            return ++times;
        }
    }

    static class Connection {
        final ArrayDeque<Statement> pool = new ArrayDeque<>();

        Statement prepare(String sql, long number) {
            if (number % 101 == 5)
                throw new IllegalStateException();
            if (number % 3 == 0 || pool.size() < POOL)
                return new Statement();
            return pool.poll();
        }
    }

    static class Sent {
        final Statement statement;
        final String sql;

        Sent(Statement statement, String sql) {
            this.statement = statement;
            this.sql = sql;
        }
    }

    static final List<ArrayBlockingQueue<Sent>> queues = new ArrayList<>();
    static final CyclicBarrier together = new CyclicBarrier(THREADS);
    static final List<WeakReference<Statement>> all = new ArrayList<>();

    static void round(Connection c, int thread, int i) throws InterruptedException {
        String sql = "select " + i + " from t" + thread;
        Statement s;
        try {
            s = c.prepare(sql, i);
        } catch (IllegalStateException refused) {
            return;
        }
        s.execute(sql);
        if (i % 4 == 0) {
            queues.get((thread + 1) % THREADS).offer(new Sent(s, sql));
        } else {
            s.execute(sql);
            c.pool.add(s);
        }
        Sent sent = queues.get(thread).poll();
        if (sent != null)
            sent.statement.execute(sent.sql);
        if (i % 7 == 0)
            new Statement().execute(null);
        if (i % 10 == 0)
            synchronized (all) {
                all.add(new WeakReference<>(s));
            }
    }

    static int alive() {
        int n = 0;
        for (WeakReference<Statement> s : all)
            n += s.get() == null ? 0 : 1;
        return n;
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int calls = Integer.parseInt(args[1]);
        for (int t = 0; t < THREADS; t++)
            queues.add(new ArrayBlockingQueue<>(1000));
        stage.awaitGo();
        run(calls, args[2].equals("virtual"));
        if (args.length > 3) {
            stage.mark("once");
            stage.await("more");
            run(calls, args[2].equals("virtual"));
        }
        for (ArrayBlockingQueue<Sent> q : queues)
            q.clear();
        for (int i = 0; i < 50 && alive() != 0; i++)
            System.gc();
        stage.write("alive", alive() + "\n");
        stage.finish();
    }

    static void run(int calls, boolean virtual) throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            int thread = t;
            threads.add(Valued.start(virtual, () -> {
                Connection c = new Connection();
                try {
                    for (int i = 0; i < calls; i++) {
                        round(c, thread, i);
                        if (i % 50 == 7)
                            together.await();
                    }
                } catch (InterruptedException | BrokenBarrierException e) {
                    throw new IllegalStateException(e);
                }
            }));
        }
        for (Thread thread : threads)
            thread.join();
    }
}
