// SPDX-License-Identifier: BSD-2-Clause
package live;

/**
 * Selves DIR THREADS ROUNDS: recursive calls that know their own time, from both sides. A call measures itself from its first
 * line to its last, and its caller measures it with all that comes before and after: the hooks' times lie between the two,
 * whoever has the CPU meanwhile. The truth has for each method the least and the most that its calls can have taken without
 * those they made, and the same of those of its calls that are in no other one of it; and the time of the threads.
 */
public class Selves {
    static final String[] METHODS = {"ping", "pong", "leaf", "deep", "fails"};
    static final int PING = 0, PONG = 1, LEAF = 2, DEEP = 3, FAILS = 4;
    static final int OWN_MS = 1;

    /** Of a thread. */
    static final class Sums {
        final long[] leastSelf = new long[METHODS.length], mostSelf = new long[METHODS.length];
        final long[] leastOutermost = new long[METHODS.length], mostOutermost = new long[METHODS.length];
        final int[] open = new int[METHODS.length];
        /** What the calls of the current call have taken, as they saw it themselves, and as the current call did. */
        long inside, around;
        /** Of the call that has ended last, as it saw it. */
        long within;
        long time;
    }

    /** A call by a caller that measures it. */
    static void call(Sums s, int method, int depth) {
        long inside = s.inside, around = s.around;
        s.inside = s.around = 0;
        s.open[method]++;
        long before = System.nanoTime();
        try {
            switch (method) {
            case PING: Work.ping(s, depth); break;
            case PONG: Work.pong(s, depth); break;
            case LEAF: Work.leaf(s); break;
            case DEEP: Work.deep(s, depth); break;
            default: Work.fails(s, depth);
            }
        } finally {
            long most = System.nanoTime() - before, least = s.within;
            s.leastSelf[method] += least - s.around;
            s.mostSelf[method] += most - s.inside;
            if (--s.open[method] == 0) {
                s.leastOutermost[method] += least;
                s.mostOutermost[method] += most;
            }
            s.inside = inside + least;
            s.around = around + most;
        }
    }

    static final class Work {
        static void ping(Sums s, int depth) {
            long start = System.nanoTime();
            Stage.sleep(OWN_MS);
            if (depth > 0) {
                call(s, PONG, depth - 1);
                call(s, LEAF, 0);
                call(s, PING, depth - 2);
            }
            s.within = System.nanoTime() - start;
        }

        static void pong(Sums s, int depth) {
            long start = System.nanoTime();
            Stage.sleep(OWN_MS);
            try {
                call(s, FAILS, depth);
            } catch (IllegalStateException e) {
                call(s, LEAF, 0);
            }
            s.within = System.nanoTime() - start;
        }

        static void leaf(Sums s) {
            long start = System.nanoTime();
            Stage.sleep(OWN_MS);
            s.within = System.nanoTime() - start;
        }

        /** More calls than the agent keeps in a thread's slot. */
        static void deep(Sums s, int depth) {
            long start = System.nanoTime();
            Stage.sleep(OWN_MS);
            if (depth > 0)
                call(s, DEEP, depth - 1);
            s.within = System.nanoTime() - start;
        }

        static void fails(Sums s, int depth) {
            long start = System.nanoTime();
            Stage.sleep(OWN_MS);
            try {
                if (depth > 0)
                    call(s, PING, depth - 1);
                throw new IllegalStateException("each");
            } finally {
                s.within = System.nanoTime() - start;
            }
        }
    }

    static void run(Sums s, int rounds) {
        long start = System.nanoTime();
        for (int i = 0; i < rounds; i++) {
            call(s, PING, 5);
            call(s, DEEP, 40);
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
            long leastSelf = 0, mostSelf = 0, leastOutermost = 0, mostOutermost = 0;
            for (Sums s : sums) {
                leastSelf += s.leastSelf[m];
                mostSelf += s.mostSelf[m];
                leastOutermost += s.leastOutermost[m];
                mostOutermost += s.mostOutermost[m];
            }
            truth.append(METHODS[m]).append(' ').append(leastSelf).append(' ').append(mostSelf).append(' ');
            truth.append(leastOutermost).append(' ').append(mostOutermost).append('\n');
        }
        stage.write("truth", truth.append("threads ").append(time).append('\n').toString());
        stage.mark("done");
        stage.await("quit");
    }
}
