// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Rooted DIR THREADS VIRTUAL ROOTS FAST [ENDLESS [SIZE...]]: threads, and virtual threads, that call root() and failing(),
 * some slow, some fast, some recursive, some ended by an exception, with a known number of calls inside, and as many
 * outside; and one more thread whose roots have SIZE calls inside. Then FAST fast roots with 100 calls each, and, without
 * SIZE, one that does not end, after ENDLESS calls. A line for each root but the last ones goes into `roots`:
 *
 *   THREAD METHOD BEGIN END LEAST CHILDREN LEAVES NESTED NATIVES THROWN    ns; LEAST: how long it took at least
 */
public class Rooted {
    static final long SLOW_NS = 30_000_000; /* three times the threshold of the test */
    static volatile long sink;

    static final class Plan {
        int children, nested;
        boolean slow, parks, fails;
        long begun, ended; /* inside of the root */
        int leaves, natives, caught;
    }

    static final class Wanted extends RuntimeException {
        private static final long serialVersionUID = 1;

        Wanted() {
            super(null, null, false, false);
        }
    }

    static void leaf() {
        sink++;
    }

    static void child(Plan p, int i) {
        sink += i;
        if (i % 4 == 0) {
            leaf();
            p.leaves++;
        }
        if (i % 8 == 1) {
            sink += Runtime.getRuntime().freeMemory(); /* a native method */
            p.natives++;
        }
        if (i % 16 == 3)
            throw new Wanted();
    }

    private static void fill(Plan p) {
        long until = System.nanoTime() + SLOW_NS;

        for (int i = 0; i < p.children; i++) {
            try {
                child(p, i);
            } catch (Wanted e) {
                p.caught++;
            }
            if (p.parks && i % 64 == 0)
                Stage.sleep(1);
        }
        while (p.slow && System.nanoTime() < until)
            Stage.sleep(5);
    }

    static void root(Plan p, int nested) {
        long now = System.nanoTime();

        if (p.begun == 0)
            p.begun = now;
        if (nested > 0)
            root(p, nested - 1);
        else
            fill(p);
        p.ended = System.nanoTime();
    }

    static void failing(Plan p) {
        p.begun = System.nanoTime();
        fill(p);
        p.ended = System.nanoTime();
        if (p.fails)
            throw new Wanted();
    }

    /** Calls like those in roots, which are in none. */
    private static void outside() {
        Plan p = new Plan();

        p.children = 20;
        fill(p);
    }

    private static void one(String name, Random random, boolean virtual, StringBuilder out) {
        Plan p = new Plan();
        boolean thrown = false, failing = random.nextInt(3) == 0;
        long begin;

        p.slow = random.nextInt(6) == 0;
        p.parks = virtual && random.nextBoolean();
        p.fails = failing && random.nextInt(4) == 0;
        p.nested = !failing && random.nextInt(5) == 0 ? 3 : 0;
        p.children = random.nextInt(3) == 0 ? 1 + random.nextInt(900) : random.nextInt(20);
        if (p.parks)
            p.children %= 200;
        begin = System.nanoTime();
        try {
            if (failing)
                failing(p);
            else
                root(p, p.nested);
        } catch (Wanted e) {
            thrown = true;
        }
        out.append(name).append(failing ? " failing " : " root ").append(begin).append(' ').append(System.nanoTime())
                .append(' ').append(p.ended - p.begun).append(' ').append(p.children).append(' ').append(p.leaves)
                .append(' ').append(p.nested).append(' ').append(p.natives).append(' ').append(thrown).append('\n');
        outside();
    }

    private static Runnable roots(String name, int roots, boolean virtual, StringBuilder out) {
        return () -> {
            Random random = new Random(name.hashCode());

            for (int i = 0; i < roots; i++)
                one(name, random, virtual, out);
        };
    }

    /** Slow roots with these numbers of calls inside. */
    private static Runnable large(String name, List<Integer> sizes, StringBuilder out) {
        return () -> {
            for (int children : sizes) {
                Plan p = new Plan();
                long begin = System.nanoTime();

                p.children = children;
                p.slow = true;
                root(p, 0);
                out.append(name).append(" root ").append(begin).append(' ').append(System.nanoTime()).append(' ')
                        .append(p.ended - p.begun).append(' ').append(children).append(' ').append(p.leaves).append(" 0 ")
                        .append(p.natives).append(" false\n");
                outside();
            }
        };
    }

    private static void all(Stage stage, int threads, int virtual, int roots, List<Integer> sizes) throws Exception {
        List<Thread> started = new ArrayList<>();
        List<StringBuilder> lines = new ArrayList<>();
        StringBuilder text = new StringBuilder();

        for (int i = 0; i < threads + virtual; i++) {
            String name = (i < threads ? "p-" : "v-") + i;

            lines.add(new StringBuilder());
            Runnable body = roots(name, roots, i >= threads, lines.get(i));
            started.add(i < threads ? new Thread(body, name) : Cast.virtual(name, body::run));
        }
        lines.add(new StringBuilder());
        started.add(new Thread(large("p-large", sizes, lines.get(threads + virtual)), "p-large"));
        for (Thread t : started)
            t.start();
        for (Thread t : started)
            t.join();
        for (StringBuilder l : lines)
            text.append(l);
        stage.write("roots", text.toString());
    }

    static void quick(int i) {
        sink += i;
    }

    static void fast() {
        for (int i = 0; i < 100; i++)
            quick(i);
    }

    /** A root that is open when the recording ends, after many calls. */
    static void endless(Stage stage, int children) {
        for (int i = 0; i < children; i++)
            quick(i);
        stage.mark("inside");
        stage.await("quit");
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        List<Integer> sizes = new ArrayList<>();

        stage.awaitGo();
        for (int i = 6; i < args.length; i++)
            sizes.add(Integer.valueOf(args[i]));
        all(stage, Integer.parseInt(args[1]), Integer.parseInt(args[2]), Integer.parseInt(args[3]), sizes);
        for (int i = 0; i < Integer.parseInt(args[4]); i++)
            fast();
        if (args.length == 6)
            endless(stage, Integer.parseInt(args[5]));
        stage.finish();
    }
}
