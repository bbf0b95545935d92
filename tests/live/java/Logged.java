// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Logged DIR THREADS CALLS: each thread calls work() CALLS times and writes a line per call into `log`: thread,
 * nanoTime before and after, and whether it threw. Then one call that does not return until `let-go`, and thread names
 * with control sequences for terminals.
 */
public class Logged {
    static int sink;

    static int work(int x) {
        if (x % 7 == 0)
            throw new IllegalStateException("seven");
        return x * 31 + 7;
    }

    /** The caller of work(). */
    static boolean calls(int x) {
        try {
            sink += work(x);
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }

    static void hangs(Stage stage) {
        stage.await("let-go");
    }

    static List<String> log(int n, int thread) {
        List<String> lines = new ArrayList<>();
        for (int i = 1; i <= n; i++) {
            long before = System.nanoTime();
            boolean thrown = calls(i + thread);
            lines.add(thread + " " + before + " " + System.nanoTime() + " " + thrown);
            if (i % 50 == 0)
                Stage.sleep(1);
        }
        return lines;
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int n = Integer.parseInt(args[2]);
        Thread[] threads = new Thread[Integer.parseInt(args[1])];
        String[] logs = new String[threads.length];
        new Logged();
        stage.awaitGo();
        for (int i = 0; i < threads.length; i++) {
            int k = i;
            threads[i] = new Thread(() -> logs[k] = String.join("\n", log(n, k)), "log-" + i + "-\u001b[2J\n\"");
            threads[i].start();
        }
        for (Thread thread : threads)
            thread.join();
        Thread hanging = new Thread(() -> hangs(stage), "hanging");
        hanging.start();
        stage.write("log", String.join("\n", Arrays.asList(logs)) + "\n");
        stage.expect("live.Logged", "work", (long) threads.length * n, Arrays.stream(logs).flatMap(l -> Arrays.stream(l.split("\n"))).filter(l -> l.endsWith("true")).count());
        stage.mark("open");
        hanging.join();
        stage.expect("live.Logged", "hangs", 1, 0);
        stage.finish();
    }
}
