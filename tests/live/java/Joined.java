// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.File;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;

/**
 * Joined DIR N THREADS: N requests go through three pools of "platform" or "virtual" threads. Each has its number as an
 * argument, in reply() as a text. A line for each call goes into the file `log`, with System.nanoTime() before the call, at its
 * beginning, at its end, and after it:
 *
 *   METHOD ID BEFORE BEGIN END AFTER SQL
 */
public class Joined {
    private static final String[] STATEMENTS = {"select * from orders where id = ?", "insert into orders values (?, ?)",
                                                "select name, \"price\" from items", "commit"};
    private static final List<String> log = Collections.synchronizedList(new ArrayList<>());
    private static final ThreadLocal<long[]> inside = ThreadLocal.withInitial(() -> new long[2]);

    private static void work(long millis) {
        long begin = System.nanoTime();
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        inside.get()[0] = begin;
        inside.get()[1] = System.nanoTime();
    }

    static void accept(int id) {
        work(0);
    }

    static void query(int id, String sql) {
        work(id == 132 ? 60 : id % 4);
    }

    static void reply(String id) {
        work(0);
    }

    private static void logged(String method, int id, String sql, Runnable call) {
        long before = System.nanoTime(), after;
        call.run();
        after = System.nanoTime();
        log.add(String.join("\t", method, "" + id, "" + before, "" + inside.get()[0], "" + inside.get()[1], "" + after, sql));
    }

    private static ExecutorService pool(String name, int threads, boolean virtual) throws Exception {
        ThreadFactory factory = r -> new Thread(r, name);
        if (virtual) {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            type.getMethod("name", String.class).invoke(builder, name);
            factory = (ThreadFactory) type.getMethod("factory").invoke(builder);
        }
        return Executors.newFixedThreadPool(threads, factory);
    }

    public static void main(String[] args) throws Exception {
        File stage = new File(args[0]);
        int requests = Integer.parseInt(args[1]);
        boolean virtual = args[2].equals("virtual");
        ExecutorService front = pool("front", 2, virtual), db = pool("db", 2, virtual), out = pool("out", 1, virtual);
        CountDownLatch done = new CountDownLatch(requests);

        new File(stage, "ready").createNewFile();
        while (!new File(stage, "go").exists())
            Thread.sleep(2);
        for (int i = 0; i < requests; i++) {
            int id = i;
            String sql = STATEMENTS[i / 4 % 4];
            front.execute(() -> {
                logged("accept", id, "", () -> accept(id));
                db.execute(() -> {
                    logged("query", id, sql, () -> query(id, sql));
                    out.execute(() -> {
                        logged("reply", id, "", () -> reply("" + id));
                        done.countDown();
                    });
                });
            });
        }
        done.await();
        Files.write(new File(stage, "log").toPath(), log);
        new File(stage, "done").createNewFile();
        while (!new File(stage, "quit").exists())
            Thread.sleep(2);
        System.exit(0);
    }
}
