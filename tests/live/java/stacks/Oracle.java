// SPDX-License-Identifier: BSD-2-Clause
package stacks;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The program's own knowledge of its stacks. Up to three witnesses inspect the stack within Probe.hit. Each distinct
 * stack is kept once, a call is a row of numbers. At the end everything is written as text:
 *
 *   K scenario name                         a part of the program
 *   S witness id more                       a stack, the caller of hit first; more=1 if it was cut at `max` frames
 *   F class method descriptor line bci hidden     its frames; "?" for what the witness cannot know (hidden: 0, 1 or ?)
 *   E tid nanoTime scenario id id id        a call: by walker, throwable, jvmti; -1 if that witness was not used
 */
public final class Oracle {
    /** Reads the current thread's stack and returns its number; Probe.hit and the frames above are left out. */
    interface Witness {
        int look(int max);

        void write(PrintWriter out);
    }

    static final String[] NAMES = {"walker", "throwable", "jvmti"};
    private static final int MAX = Integer.getInteger("stacks.max", 320);
    private static final int ROOM = Integer.getInteger("stacks.room", 600_000);

    private static final Witness[] witnesses = new Witness[NAMES.length];
    private static final AtomicInteger used = new AtomicInteger();
    private static final long[] threads = new long[ROOM], times = new long[ROOM];
    private static final int[] scenarios = new int[ROOM], stacks = new int[ROOM * NAMES.length];
    private static final List<String> names = Collections.synchronizedList(new ArrayList<>());

    private Oracle() {
    }

    /** From now on these witnesses, separated by commas, record each hit. */
    static void start(String list) throws Exception {
        for (String name : list.split(","))
            for (int i = 0; i < NAMES.length; i++)
                if (NAMES[i].equals(name))
                    witnesses[i] = open(name);
        warm();
        used.set(0);
    }

    private static Witness open(String name) throws Exception {
        switch (name) {
        case "walker":
            return (Witness) Class.forName("stacks.Walker").getDeclaredConstructor().newInstance();
        case "throwable":
            return new Thrown();
        default:
            return new Agent();
        }
    }

    /** Makes the witnesses load their classes now, not during a recorded call. */
    private static void warm() {
        for (int i = 0; i < 100; i++)
            for (Witness witness : witnesses)
                if (witness != null)
                    witness.look(MAX);
    }

    static boolean has(int witness) {
        return witnesses[witness] != null;
    }

    /** The number of a part of the program, used as the key of its hits. */
    static int scenario(String name) {
        synchronized (names) {
            names.add(name);
            return names.size() - 1;
        }
    }

    static int record(long key) {
        long now = System.nanoTime();
        int at = used.getAndIncrement();
        if (at >= ROOM)
            return at;
        threads[at] = Thread.currentThread().getId();
        times[at] = now;
        scenarios[at] = (int) key;
        for (int i = 0; i < NAMES.length; i++)
            stacks[at * NAMES.length + i] = witnesses[i] == null ? -1 : witnesses[i].look(MAX);
        return at;
    }

    static int count() {
        return used.get();
    }

    static void write(Path file) throws IOException {
        int n = used.get();
        if (n > ROOM)
            throw new IllegalStateException("no room for " + n + " records");
        try (PrintWriter out = new PrintWriter(new BufferedWriter(Files.newBufferedWriter(file), 1 << 16))) {
            for (int i = 0; i < names.size(); i++)
                out.println("K\t" + i + "\t" + names.get(i));
            for (Witness witness : witnesses)
                if (witness != null)
                    witness.write(out);
            for (int at = 0; at < n; at++) {
                out.print("E\t" + threads[at] + "\t" + times[at] + "\t" + scenarios[at]);
                for (int i = 0; i < NAMES.length; i++)
                    out.print("\t" + stacks[at * NAMES.length + i]);
                out.println();
            }
        }
    }

    /** Distinct stacks by their text: all frames as F lines. */
    static final class Pool {
        private final Map<String, Integer> ids = new ConcurrentHashMap<>();
        private final AtomicInteger next = new AtomicInteger();

        int id(String text) {
            Integer id = ids.get(text);
            return id != null ? id : ids.computeIfAbsent(text, t -> next.getAndIncrement());
        }

        void write(PrintWriter out, String witness) {
            ids.forEach((text, id) -> out.print("S\t" + witness + "\t" + id + "\t" + text));
        }
    }

    /** Throwable.getStackTrace: class, method and line; no hidden frames; at most 1,024 frames. */
    static final class Thrown implements Witness {
        private final Pool pool = new Pool();

        @Override
        public int look(int max) {
            StackTraceElement[] trace = new Throwable().getStackTrace();
            int at = 0;
            while (at < trace.length && !(trace[at].getMethodName().equals("hit") && trace[at].getClassName().equals("stacks.Probe")))
                at++;
            int end = Math.min(trace.length, at + 1 + max);
            StringBuilder text = new StringBuilder(4096);
            text.append(end < trace.length || trace.length == 1024 ? '1' : '0').append('\n');
            for (int i = at + 1; i < end; i++)
                text.append("F\t").append(trace[i].getClassName()).append('\t').append(trace[i].getMethodName())
                        .append("\t?\t").append(trace[i].getLineNumber()).append("\t?\t0\n");
            return pool.id(text.toString());
        }

        @Override
        public void write(PrintWriter out) {
            pool.write(out, "throwable");
        }
    }

    /** JVMTI's GetStackTrace, called in the test's own agent. */
    static final class Agent implements Witness {
        @Override
        public int look(int max) {
            return Native.look(max);
        }

        @Override
        public void write(PrintWriter out) {
            int n = Native.stacks();
            for (int i = 0; i < n; i++)
                out.print("S\tjvmti\t" + i + "\t" + Native.stack(i));
        }
    }
}
