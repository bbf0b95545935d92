// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.util.concurrent.CountDownLatch;

/** Crowd DIR THREADS CALLS: that many threads are alive at the same time after each has called work(). */
public class Crowd {
    static int work(int x) {
        return x + 1;
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int threads = Integer.parseInt(args[1]), n = Integer.parseInt(args[2]);
        CountDownLatch called = new CountDownLatch(threads);
        stage.awaitGo();
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(null, () -> {
                for (int k = 0; k < n; k++)
                    work(k);
                called.countDown();
                Stage.sleep(1_000_000);
            }, "crowd-" + i, 64 << 10);
            thread.setDaemon(true);
            thread.start();
        }
        called.await();
        stage.expect("live.Crowd", "work", (long) threads * n, 0);
        System.out.println("crowd: " + threads + " threads");
        stage.finish();
    }
}
