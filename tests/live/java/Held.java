// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.util.concurrent.Semaphore;

/** Held DIR CALLS: one call of checkout() in 20 waits for a lock that refresh() holds for 30 ms, in another thread. */
public class Held {
    private static final Object LOCK = new Object();
    private static final Semaphore wanted = new Semaphore(0), held = new Semaphore(0);
    static volatile int sink;

    static void checkout(int n) {
        for (int i = 0; i < 2000; i++)
            sink += n;
        synchronized (LOCK) {
            sink++;
        }
    }

    static void refresh() throws InterruptedException {
        synchronized (LOCK) {
            held.release();
            Thread.sleep(30);
        }
    }

    private static void refreshWhenAsked() {
        try {
            for (;;) {
                wanted.acquire();
                refresh();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int calls = Integer.parseInt(args[1]);
        Thread refresher = new Thread(Held::refreshWhenAsked, "refresher");
        refresher.setDaemon(true);
        refresher.start();
        stage.awaitGo();
        for (int i = 0; i < calls; i++) {
            if (i % 20 == 7) {
                wanted.release();
                held.acquire();
            }
            checkout(i);
        }
        stage.finish();
    }
}
