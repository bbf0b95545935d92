// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/**
 * Handed DIR CALLS: each call of request() waits for slow(), which takes 40 ms for one call in 10 on the thread "slow", and
 * then for last(), which takes 1 ms on the thread "last" and completes the future. From JDK 21 on virtual threads call it.
 */
public class Handed {
    private static final Executor SLOW = one("slow"), LAST = one("last");

    private static Executor one(String name) {
        return Executors.newSingleThreadExecutor(task -> {
            Thread t = new Thread(task, name);
            t.setDaemon(true);
            return t;
        });
    }

    static int slow(int i) {
        Stage.sleep(i % 10 == 0 ? 40 : 2);
        return i;
    }

    static int last(int i) {
        Stage.sleep(1);
        return i;
    }

    static int request(int i) {
        return CompletableFuture.supplyAsync(() -> slow(i), SLOW).thenApplyAsync(Handed::last, LAST).join();
    }

    private static void serve(int i) throws Exception {
        Runnable call = () -> request(i);
        if (System.getProperty("java.specification.version").compareTo("21") < 0)
            call.run();
        else
            ((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, call)).join();
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int calls = Integer.parseInt(args[1]);
        stage.awaitGo();
        for (int i = 0; i < calls; i++)
            serve(i);
        stage.finish();
    }
}
