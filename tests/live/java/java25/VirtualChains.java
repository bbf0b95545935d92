// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/**
 * VirtualChains DIR N: N calls of run(), which wait for a virtual thread that computes and sleeps. It says so in DIR/chains, as
 * live.Chains does.
 */
public class VirtualChains {
    private static final StringBuilder log = new StringBuilder();
    private static volatile int call;
    private static volatile long x;

    private static synchronized void say(String line) {
        log.append(line).append('\n');
    }

    private static void did(String state, long from) {
        say("did " + call + " " + Thread.currentThread().getName() + " " + state + " " + from + " " + System.nanoTime());
    }

    static void sleeps(int ms) throws Exception {
        long from = System.nanoTime();

        Thread.sleep(ms);
        did("sleep", from);
    }

    static void computes(int ms) {
        long from = System.nanoTime();

        while (System.nanoTime() < from + ms * 1000000L) {
            x++;
        }
        did("cpu", from);
    }

    static void serve(CompletableFuture<Object> answer) {
        try {
            computes(4);
            sleeps(8);
            computes(3);
            answer.complete(answer);
        } catch (Exception e) {
            answer.completeExceptionally(e);
        }
    }

    static void run() throws Exception {
        CompletableFuture<Object> answer = new CompletableFuture<>();
        long from = System.nanoTime();

        Thread.ofVirtual().name("virtual").start(() -> serve(answer));
        answer.get();
        say("call " + call + " main virtual " + from + " " + System.nanoTime());
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int n = Integer.parseInt(args[1]);

        run(); // loads the classes
        log.setLength(0);
        stage.awaitGo();
        while (call < n) {
            call++;
            run();
            Thread.sleep(5);
        }
        Files.writeString(Path.of(args[0], "chains"), log.toString(), StandardCharsets.US_ASCII);
        stage.finish();
    }
}
