// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import jdk.jfr.Event;
import jdk.jfr.Name;

/**
 * Joint DIR CALLS: calls of work() in threads of each kind. The JVM's own recorder writes an event in each call;
 * `stamps` has the start and end of each by the program's clock.
 */
public class Joint {
    @Name("live.Mark")
    static class Mark extends Event {
        int number;
    }

    static final List<String> stamps = Collections.synchronizedList(new ArrayList<>());

    static void work(int number) {
        Mark mark = new Mark();
        mark.begin();
        LockSupport.parkNanos(15_000_000);
        mark.number = number;
        mark.commit();
        if (number % 10 == 0)
            System.gc();
    }

    private static long now() {
        Instant t = Instant.now();
        return t.getEpochSecond() * 1_000_000_000 + t.getNano();
    }

    private static void stamped(int number) {
        long before = now();
        work(number);
        stamps.add(number + " " + before + " " + now());
    }

    private static Thread start(Runnable r, boolean virtual) throws ReflectiveOperationException {
        if (virtual && Runtime.version().feature() >= 21)
            return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, r);
        Thread t = new Thread(r, "joint");
        t.start();
        return t;
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int calls = Integer.parseInt(args[1]);
        stage.awaitGo();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            int first = t * calls;
            threads.add(start(() -> {
                for (int i = 0; i < calls; i++)
                    stamped(first + i);
            }, t % 2 == 1));
        }
        for (Thread t : threads)
            t.join();
        stage.write("stamps", String.join("\n", stamps) + "\n");
        stage.finish();
    }
}
