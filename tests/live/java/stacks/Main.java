// SPDX-License-Identifier: BSD-2-Clause
package stacks;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;

/**
 * -Dstacks.dir=DIR Main WITNESSES [SCENARIOS]: create `ready` in DIR and wait for `go` before main is called; run the
 * scenarios whose name matches the regular expression; write what the witnesses saw into `oracle`, create `done` and
 * end when `quit` exists. With -Dstacks.hooks=true it ends at once, and a shutdown hook makes calls and writes.
 *
 * The witness jvmti and calls from native code need the JVM option -agentpath with agent.c.
 */
public final class Main {
    interface Scenario {
        void run(long key) throws Throwable;
    }

    static final Map<String, Scenario> SCENARIOS = new LinkedHashMap<>();
    public static volatile long initial, fromC;
    static final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private static final Path directory = new File(System.getProperty("stacks.dir")).toPath();

    static {
        try {
            if (Boolean.getBoolean("stacks.loaded")) // before the tracer comes
                Class.forName("stacks.Probe");
            mark("ready");
            await("go");
        } catch (IOException | InterruptedException | ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private Main() {
    }

    private static void list() throws Exception {
        SCENARIOS.put("inlined", Shapes::inlined);
        SCENARIOS.put("osr", Shapes::osr);
        SCENARIOS.put("recursion", Shapes::recursion);
        SCENARIOS.put("deep", Shapes::deep);
        SCENARIOS.put("dispatch", Shapes::dispatch);
        SCENARIOS.put("constructors", Shapes::constructors);
        SCENARIOS.put("monitors", Shapes::monitors);
        SCENARIOS.put("exceptions", Shapes::exceptions);
        SCENARIOS.put("overflows", Shapes::overflows);
        SCENARIOS.put("traps", Shapes::traps);
        SCENARIOS.put("wides", Shapes::wides);
        SCENARIOS.put("lambdas", Calls::lambdas);
        SCENARIOS.put("streams", Calls::streams);
        SCENARIOS.put("handles", Calls::handles);
        SCENARIOS.put("reflection", Calls::reflection);
        SCENARIOS.put("proxies", Calls::proxies);
        SCENARIOS.put("privileged", Calls::privileged);
        SCENARIOS.put("upcalls", Calls::upcalls);
        SCENARIOS.put("hierarchy", Loaders::hierarchy);
        SCENARIOS.put("initializers", Loaders::initializers);
        SCENARIOS.put("loaders", Loaders::churn);
        SCENARIOS.put("versions", Loaders::versions);
        SCENARIOS.put("threads", Tasks::threads);
        SCENARIOS.put("pools", Tasks::pools);
        SCENARIOS.put("attached", Tasks::attached);
        SCENARIOS.put("finalizers", Tasks::finalizers);
        SCENARIOS.put("random", Tasks::random);
        for (String more : new String[] {"stacks.Cleaners", "stacks.Virtual", "stacks.Foreign"})
            if (Main.class.getResource(more.substring(7) + ".class") != null)
                Class.forName(more).getDeclaredMethod("list").invoke(null);
    }

    public static void main(String[] args) throws Exception {
        Pattern chosen = Pattern.compile(args.length > 1 ? args[1] : ".*");
        list();
        Oracle.start(args[0]);
        Probe.hit(Oracle.scenario("main"));
        if (Boolean.getBoolean("stacks.garbage"))
            litter();
        run(chosen);
        if (Boolean.getBoolean("stacks.hooks")) {
            Runtime.getRuntime().addShutdownHook(new Last(Oracle.scenario("hooks")));
            return;
        }
        finish();
        await("quit");
    }

    /** Collections all the time, from now on, of garbage and of what has just been kept. */
    private static void litter() {
        Thread thread = new Thread(() -> {
            byte[][] kept = new byte[4096][];
            for (int i = 0;; i++) {
                kept[i % kept.length] = new byte[64 + i % 4096];
                if (i % 16384 == 0)
                    System.gc();
            }
        }, "litter");
        thread.setDaemon(true);
        thread.start();
    }

    private static void finish() throws IOException {
        Oracle.write(directory.resolve("oracle"));
        failures.forEach(Throwable::printStackTrace);
        if (failures.isEmpty())
            mark("done");
    }

    static final class Last extends Thread {
        private final long key;

        Last(long key) {
            this.key = key;
        }

        @Override
        public void run() {
            for (int i = 0; i < 100; i++)
                Shapes.down(key, i % 20);
            try {
                finish();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Three at a time, each on a thread of its own. */
    private static void run(Pattern chosen) throws Exception {
        Queue<String> names = new ConcurrentLinkedQueue<>();
        for (String name : SCENARIOS.keySet())
            if (chosen.matcher(name).matches())
                names.add(name);
        List<Thread> running = new ArrayList<>();
        for (String name; (name = names.poll()) != null;) {
            Thread thread = new Thread(null, new Part(name), "part-" + name, 16 << 20);
            thread.start();
            running.add(thread);
            if (running.size() == 3)
                running.remove(0).join();
        }
        for (Thread thread : running)
            thread.join();
    }

    /** A scenario and its thread. */
    static final class Part implements Runnable {
        private final String name;
        private final long key;

        Part(String name) {
            this.name = name;
            this.key = Oracle.scenario(name);
        }

        @Override
        public void run() {
            long start = System.nanoTime();
            try {
                SCENARIOS.get(name).run(key);
                System.out.printf("%-14s %5d ms%n", name, (System.nanoTime() - start) / 1_000_000);
            } catch (Throwable e) {
                failures.add(new IllegalStateException(name, e));
                System.out.println(name + " failed: " + e);
            }
        }
    }

    static void mark(String name) throws IOException {
        Path whole = directory.resolve("." + name);
        Files.write(whole, new byte[0]);
        Files.move(whole, directory.resolve(name));
    }

    private static void await(String name) throws InterruptedException {
        while (!directory.resolve(name).toFile().exists())
            Thread.sleep(5);
    }
}
