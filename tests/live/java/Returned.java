// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Returned DIR N: calls request() N times, which returns a future at once; one thread of a pool works on it, in two steps. Each
 * third one takes 60 ms. A line for each in the file `requests`, with nanoTime: NUMBER BEFORE BEGUN DONE AFTER.
 */
public class Returned {
    static final ExecutorService pool = Executors.newFixedThreadPool(1, r -> {
        Thread t = new Thread(r, "worker");

        t.setDaemon(true);
        return t;
    });
    static volatile long begun, done;

    static long step(long number) {
        if (number % 3 == 0)
            Stage.sleep(30);
        return number;
    }

    static CompletableFuture<Long> request(long number) {
        begun = System.nanoTime();
        return CompletableFuture.supplyAsync(() -> step(number), pool).thenApplyAsync(n -> {
            step(n);
            return done = System.nanoTime();
        }, pool);
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        List<String> log = new ArrayList<>();

        pool.submit(() -> { }).get();
        stage.awaitGo();
        for (int i = 1; i <= Integer.parseInt(args[1]); i++) {
            long before = System.nanoTime();

            request(i).get();
            log.add(i + " " + before + " " + begun + " " + done + " " + pool.submit(System::nanoTime).get());
        }
        java.nio.file.Files.write(new java.io.File(args[0], "requests").toPath(), log);
        stage.finish();
        System.exit(0);
    }
}
