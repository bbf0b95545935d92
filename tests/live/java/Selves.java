// SPDX-License-Identifier: BSD-2-Clause
package live;

/**
 * Selves DIR THREADS ROUNDS: recursive calls that know their own time. Each call measures itself, and subtracts what the
 * calls that it makes have measured; of a method's calls, those that are in no other one of it are summed up, too. The
 * truth has both for each method, and the time of the threads. Their own work is to sleep, so that few of them lose the CPU
 * between their own stamps and those of the hooks.
 */
public class Selves {
    static final String[] METHODS = {"ping", "pong", "leaf", "deep", "fails"};
    static final int OWN_MS = 1;

    /** Of a thread. */
    static final class Sums {
        final long[] self = new long[METHODS.length], outermost = new long[METHODS.length];
        final int[] open = new int[METHODS.length];
        long children, time;

        long begin(int method) {
            long outer = children;
            children = 0;
            open[method]++;
            return outer;
        }

        void end(int method, long outer, long ns) {
            self[method] += ns - children;
            outermost[method] += --open[method] == 0 ? ns : 0;
            children = outer + ns;
        }
    }

    static final class Work {
        static void ping(Sums s, int depth) {
            long start = System.nanoTime(), outer = s.begin(0);
            Stage.sleep(OWN_MS);
            if (depth > 0) {
                pong(s, depth - 1);
                leaf(s);
                ping(s, depth - 2);
            }
            s.end(0, outer, System.nanoTime() - start);
        }

        static void pong(Sums s, int depth) {
            long start = System.nanoTime(), outer = s.begin(1);
            Stage.sleep(OWN_MS);
            try {
                fails(s, depth);
            } catch (IllegalStateException e) {
                leaf(s);
            }
            s.end(1, outer, System.nanoTime() - start);
        }

        static void leaf(Sums s) {
            long start = System.nanoTime(), outer = s.begin(2);
            Stage.sleep(OWN_MS);
            s.end(2, outer, System.nanoTime() - start);
        }

        /** More calls than the agent keeps in a thread's slot. */
        static void deep(Sums s, int depth) {
            long start = System.nanoTime(), outer = s.begin(3);
            Stage.sleep(OWN_MS);
            if (depth > 0)
                deep(s, depth - 1);
            s.end(3, outer, System.nanoTime() - start);
        }

        static void fails(Sums s, int depth) {
            long start = System.nanoTime(), outer = s.begin(4);
            Stage.sleep(OWN_MS);
            try {
                if (depth > 0)
                    ping(s, depth - 1);
                throw new IllegalStateException("each");
            } finally {
                s.end(4, outer, System.nanoTime() - start);
            }
        }
    }

    static void run(Sums s, int rounds) {
        long start = System.nanoTime();
        for (int i = 0; i < rounds; i++) {
            Work.ping(s, 5);
            Work.deep(s, 40);
        }
        s.time = System.nanoTime() - start;
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        Sums[] sums = new Sums[Integer.parseInt(args[1])];
        int rounds = Integer.parseInt(args[2]);
        Thread[] threads = new Thread[sums.length];
        for (int i = 0; i < sums.length; i++) {
            Sums s = sums[i] = new Sums();
            threads[i] = new Thread(() -> run(s, rounds));
        }
        Work warm = new Work();
        stage.awaitGo();
        threads[0].start();
        Stage.sleep(300); /* what the first calls of a method need, one thread waits for */
        for (int i = 1; i < threads.length; i++)
            threads[i].start();
        for (Thread thread : threads)
            thread.join();
        StringBuilder truth = new StringBuilder();
        long time = 0;
        for (Sums s : sums)
            time += s.time;
        for (int m = 0; m < METHODS.length; m++) {
            long self = 0, outermost = 0;
            for (Sums s : sums) {
                self += s.self[m];
                outermost += s.outermost[m];
            }
            truth.append(METHODS[m]).append(' ').append(self).append(' ').append(outermost).append('\n');
        }
        stage.write("truth", truth.append("threads ").append(time).append(' ').append(time).append('\n').toString());
        stage.mark("done");
        stage.await("quit");
    }
}
