// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.util.ArrayList;
import java.util.List;

/**
 * Layered DIR THREADS VIRTUAL REQUESTS: threads, and virtual threads, that serve requests as a service with an object mapper
 * does: each makes some 4,000 short calls below 30 frames, in half a millisecond. Every 100th waits in the middle of them.
 * Then one more request waits there until `quit` exists.
 */
public class Layered {
    static final int LAYERS = 30, ROWS = 40, FIELDS = 24, CONVERTS = 3, CHECKS = 5;
    static final long SLOW_MS = 30;

    static final class Invalid extends RuntimeException {
        private static final long serialVersionUID = 1;

        Invalid() {
            super(null, null, false, false);
        }
    }

    static final class Open {
        final Stage stage;

        Open(Stage stage) {
            this.stage = stage;
        }
    }

    static int convert(int x) {
        for (int i = 0; i < 100; i++) {
            x ^= x << 13;
            x ^= x >>> 17;
            x ^= x << 5;
        }
        return x;
    }

    static int field(int x) {
        for (int i = 0; i < CONVERTS; i++)
            x = convert(x);
        return x;
    }

    static void check(int row) {
        if (row % (ROWS / CHECKS) == 0)
            throw new Invalid();
    }

    static int load(int x, int row) {
        try {
            check(row);
        } catch (Invalid e) {
            x++;
        }
        for (int i = 0; i < FIELDS; i++)
            x = field(x);
        return x;
    }

    /** Waits; nothing calls it in a fast request. */
    static void query(long ms, Open open) {
        if (open != null) {
            open.stage.mark("inside");
            open.stage.await("quit");
        } else {
            Stage.sleep(ms);
        }
    }

    static int rows(int x, long ms, Open open) {
        for (int row = 0; row < ROWS; row++) {
            if (row == ROWS / 2 && ms > 0)
                query(ms, open);
            x = load(x, row);
        }
        return x;
    }

    static int layer(int x, int n, long ms, Open open) {
        return n > 1 ? layer(x, n - 1, ms, open) : rows(x, ms, open);
    }

    static int request(int x, long ms, Open open) {
        return layer(x, LAYERS, ms, open);
    }

    private static void serve(int requests) {
        int x = 1;

        for (int i = 1; i <= requests; i++)
            x = request(x, i % 100 == 0 ? SLOW_MS : 0, null);
        sink = x;
    }

    static volatile int sink;

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int threads = Integer.parseInt(args[1]), all = threads + Integer.parseInt(args[2]);
        int requests = Integer.parseInt(args[3]);
        List<Thread> started = new ArrayList<>();

        stage.awaitGo();
        for (int i = 0; i < all; i++)
            started.add(i < threads ? new Thread(() -> serve(requests), "p-" + i) : Cast.virtual("v-" + i, () -> serve(requests)));
        for (Thread t : started)
            t.start();
        for (Thread t : started)
            t.join();
        stage.mark("done");
        request(1, SLOW_MS, new Open(stage));
    }
}
