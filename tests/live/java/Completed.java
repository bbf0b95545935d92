// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Completed DIR N: calls request() N times, which hands a task to the thread "worker". A call of complete() ends a request, in one of
 * four ways: 0: in the task after 60 ms, and that sleeps on; 1: in request() at once, and the task sleeps; 2: never, and the task
 * sleeps; 3: in request(), which sleeps on for 60 ms. A line for each in the file `requests`, with nanoTime: NUMBER WAY, when
 * request() was about to be called, and had begun; when complete() was about to end, and had returned, 0 if it was not called; when
 * request() was about to return, and had returned; when the task was about to end.
 */
public class Completed {
    interface Answer {
        void complete();
    }

    static class Reply implements Answer {
        public void complete() {
            if (completing == 0)
                completing = System.nanoTime();
        }
    }

    static final ExecutorService pool = Executors.newFixedThreadPool(1, r -> {
        Thread t = new Thread(r, "worker");

        t.setDaemon(true);
        return t;
    });
    static volatile long begun, completing, completed, returns, ends;

    static void complete() {
        new Reply().complete();
        completed = System.nanoTime();
    }

    static void work(int way) {
        Stage.sleep(60);
        if (way == 0) {
            complete();
            new Reply().complete(); // the first one counts
            Stage.sleep(60);
        }
        ends = System.nanoTime();
    }

    static void request(int number) {
        int way = number % 4;

        begun = System.nanoTime();
        if (way == 1 || way == 3)
            complete();
        pool.execute(() -> work(way));
        if (way == 3)
            Stage.sleep(60);
        returns = System.nanoTime();
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        List<String> log = new ArrayList<>();

        pool.submit(() -> { }).get();
        stage.awaitGo();
        for (int i = 1; i <= Integer.parseInt(args[1]); i++) {
            long before = System.nanoTime(), after;

            completing = completed = 0;
            request(i);
            after = System.nanoTime();
            pool.submit(() -> { }).get();
            log.add(i + " " + i % 4 + " " + before + " " + begun + " " + completing + " " + completed + " " + returns + " " + after + " " + ends);
        }
        java.nio.file.Files.write(new java.io.File(args[0], "requests").toPath(), log);
        stage.finish();
        System.exit(0);
    }
}
