// SPDX-License-Identifier: BSD-2-Clause
package live;

/**
 * Sunk DIR N: roots in which the stack overflows, N times each, by a thread of a small stack:
 *
 *   caught()    goes on after the error, with 10 calls of child(); each second one takes 250 ms
 *   passed()    ends with the error
 *   last()      is called at each level until the stack ends, so that its hooks, too, get the error
 *
 * After each of them, 10 calls of child() are in no root. In between, a root of 250 ms is compiled while it runs, with the
 * small roots that it calls inlined (compiled()). A line "NAME NS DIVES" of each root caught(), passed() and compiled()
 * goes into `roots`: how long it took, and the calls of dive() in it.
 */
public class Sunk {
    static volatile long sink;
    static int dives;
    private static final StringBuilder lines = new StringBuilder();

    static void child() {
        sink++;
    }

    static int dive(int i) {
        dives++;
        return dive(i + 1) + 1;
    }

    static void caught(boolean slow) {
        try {
            dive(0);
        } catch (StackOverflowError e) {
            sink++;
        }
        children();
        if (slow)
            Stage.sleep(250);
    }

    static void passed() {
        children();
        dive(0);
    }

    static void last() {
        child();
    }

    private static int descend(int i) {
        last();
        return descend(i + 1) + 1;
    }

    private static void children() {
        for (int i = 0; i < 10; i++)
            child();
    }

    private static void overflow(Runnable dive) {
        try {
            dive.run();
        } catch (StackOverflowError e) {
            sink++;
        }
        children();
    }

    static void small() {
        child();
    }

    /** Its frame is another one once the loop has been compiled, with what it calls inlined. */
    static void compiled() {
        long until = System.nanoTime() + 250_000_000;
        for (int i = 0; i < 100_000 || System.nanoTime() < until; i++)
            if (i % 1000 == 0)
                small();
            else
                sink++;
    }

    private static void note(String name, Runnable root) {
        long begin = System.nanoTime();
        dives = 0;
        overflow(root);
        lines.append(name).append(' ').append(System.nanoTime() - begin).append(' ').append(dives).append('\n');
    }

    private static void run(int n) {
        for (int i = 0; i < n; i++) {
            boolean slow = i % 2 == 0;
            note("caught", () -> caught(slow));
            note("passed", Sunk::passed);
            overflow(() -> descend(0));
            note("compiled", Sunk::compiled);
        }
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        stage.awaitGo();
        Thread t = new Thread(null, () -> run(Integer.parseInt(args[1])), "sunk", 400_000);
        t.start();
        t.join();
        stage.write("roots", lines.toString());
        stage.finish();
    }
}
