// SPDX-License-Identifier: BSD-2-Clause
package live;

/**
 * Exported DIR CALLS: CALLS calls in each of three threads with unusual names; some calls sleep, some throw, some call
 * others.
 */
public class Exported {
    static final String[] THREADS = {"plain", "a \"quoted\", one", "=1+1"};

    static int price(int i) {
        if (i % 4 == 0)
            throw new IllegalArgumentException();
        return i;
    }

    static int order(int i) {
        Stage.sleep(2);
        try {
            return price(i);
        } catch (IllegalArgumentException e) {
            return 0;
        }
    }

    static int other(int i) {
        return price(4 * i + 1);
    }

    static void all(int n) {
        for (int i = 0; i < n; i++)
            if (order(i) + other(i) < 0)
                throw new IllegalStateException();
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int n = Integer.parseInt(args[1]);
        stage.awaitGo();
        Thread[] threads = new Thread[THREADS.length];
        for (int t = 0; t < threads.length; t++) {
            threads[t] = new Thread(() -> all(n), THREADS[t]);
            threads[t].start();
        }
        for (Thread t : threads)
            t.join();
        System.gc();
        stage.finish();
    }
}
