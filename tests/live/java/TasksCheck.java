// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * TasksCheck RECORDING LOG LOST [US]: the tasks of each call in the recording, as the JDK reads it, must be those that Tasks has
 * logged: with the same outcome, handed over and run by the same threads. A task that a task has handed over belongs to the
 * call at the end of the chain. For each one that is missing, one is "not seen": the first of a worker that had waited for
 * it since before the recording. So many were counted as LOST; they, and what they have handed on, may be missing, too.
 * None was longer in its queue than from the program's stamp before it handed the task over to the one with which it begins.
 * Prints how much shorter they were; US: 99 % must be nearer, which takes a machine that does not interrupt the program there.
 */
public class TasksCheck {
    /** A call, or the run of a task; `root` is the thread and number of the call. */
    record Span(long start, long end, String thread, String root) {}

    record Task(long start, long begun, long end, String by, String on, String outcome) {}

    /** Of a task that has run: when it began, and how long it was in its queue; -1: unknown. */
    record Run(long begun, long queued) {}

    static final int CLOCKS_US = 20; /* between two clocks, in a second */

    static final Map<String, TreeMap<Long, Span>> spans = new HashMap<>();
    static final Map<String, List<Run>> recorded = new HashMap<>(), written = new HashMap<>();

    static long ns(Instant t) {
        return t.getEpochSecond() * 1_000_000_000L + t.getNano();
    }

    static String name(RecordedThread t) {
        return t == null ? "nobody" : t.getJavaName();
    }

    static Task task(RecordedEvent e) {
        long run = e.getLong("runTime"), begun = ns(e.getEndTime());

        return new Task(ns(e.getStartTime()), begun, run < 0 ? begun - 1 : begun + run, name(e.getThread("submitThread")),
                name(e.getThread()), e.getString("outcome"));
    }

    static void add(Span s) {
        spans.computeIfAbsent(s.thread, k -> new TreeMap<>()).put(s.start, s);
    }

    /** The call that the thread was busy for at that time. */
    static String root(String thread, long at) {
        TreeMap<Long, Span> of = spans.getOrDefault(thread, new TreeMap<>());

        for (var e = of.floorEntry(at); e != null; e = of.lowerEntry(e.getKey()))
            if (e.getValue().end >= at)
                return e.getValue().root;
        return null;
    }

    static void readCalls(List<RecordedEvent> events) {
        Map<String, Integer> calls = new HashMap<>();

        for (RecordedEvent e : events)
            if (e.getEventType().getName().equals("jdk.MethodTrace")) {
                String thread = name(e.getThread());

                add(new Span(ns(e.getStartTime()), ns(e.getEndTime()), thread,
                        thread + "#" + calls.merge(thread, 1, Integer::sum)));
            }
    }

    /** What each call has handed over, and how often: "ROOT OUTCOME BY ON". */
    static Map<String, Integer> readTasks(List<RecordedEvent> events) {
        Map<String, Integer> found = new HashMap<>();

        for (RecordedEvent e : events)
            if (e.getEventType().getName().equals("frtrace.Task")) {
                Task t = task(e);
                String root = root(t.by, t.start);

                if (t.end >= t.begun)
                    add(new Span(t.begun, t.end, t.on, root));
                String key = root + " " + t.outcome + " " + t.by + " " + t.on;

                found.merge(key, 1, Integer::sum);
                add(recorded, key, new Run(t.begun, t.begun - t.start));
            }
        return found;
    }

    static void add(Map<String, List<Run>> runs, String key, Run run) {
        runs.computeIfAbsent(key, k -> new ArrayList<>()).add(run);
    }

    static Map<String, Integer> readLog(List<String> lines) {
        Map<String, TreeSet<Long>> calls = new HashMap<>();
        Map<String, Integer> logged = new HashMap<>();

        for (String line : lines) {
            String[] l = line.split(" ");

            calls.computeIfAbsent(l[7], k -> new TreeSet<>()).add(Long.parseLong(l[2]));
        }
        for (String line : lines) {
            String[] l = line.split(" ");
            int number = calls.get(l[7]).headSet(Long.parseLong(l[2]), true).size();

            String key = l[7] + "#" + number + " " + l[1] + " " + l[5] + " " + l[6];
            long submitted = Long.parseLong(l[3]), begun = Long.parseLong(l[4]);

            logged.merge(key, 1, Integer::sum);
            add(written, key, new Run(begun, submitted == 0 ? -1 : begun - submitted));
        }
        return logged;
    }

    /** By how many ns the times in queues are shorter, in order. Those of one key have run one after the other. */
    static List<Long> differences() {
        List<Long> all = new ArrayList<>();

        for (String key : written.keySet()) {
            List<Run> a = written.get(key), b = recorded.getOrDefault(key, List.of());

            if (a.size() != b.size() || !key.contains(" ran ") && !key.contains(" caller "))
                continue;
            a.sort(Comparator.comparing(Run::begun));
            b.sort(Comparator.comparing(Run::begun));
            for (int i = 0; i < a.size(); i++)
                if (a.get(i).queued >= 0)
                    all.add(a.get(i).queued - b.get(i).queued);
        }
        return all;
    }

    static double us(List<Long> all, int percent) {
        return all.get((int) ((all.size() - 1L) * percent / 100)) / 1000.0;
    }

    public static void main(String[] args) throws Exception {
        List<RecordedEvent> events = new ArrayList<>(RecordingFile.readAllEvents(Path.of(args[0])));
        Map<String, Integer> found, logged = readLog(Files.readAllLines(Path.of(args[1])));
        int lost = Integer.parseInt(args[2]), equal = 0, wrong = 0, missing = 0, unseen = 0;

        events.sort(Comparator.comparing(RecordedEvent::getStartTime));
        readCalls(events);
        found = readTasks(events);
        TreeSet<String> all = new TreeSet<>(found.keySet());
        all.addAll(logged.keySet());
        for (String k : all) {
            int f = found.getOrDefault(k, 0), l = logged.getOrDefault(k, 0);

            equal += Math.min(f, l);
            if (k.contains(" not seen "))
                unseen += f;
            else
                wrong += Math.max(0, f - l);
            missing += Math.max(0, l - f);
            if (f != l && wrong + missing < 20)
                System.out.println("recorded " + f + ", logged " + l + ": " + k);
        }
        System.out.println("tasks equal " + equal + " wrong " + wrong + " missing " + missing + " not seen "
                + unseen);
        List<Long> apart = differences();
        apart.add(0L);
        Collections.sort(apart);
        System.out.printf("queue times shorter by %.1f us at least, %.1f at 50 %%, %.1f at 90 %%, %.1f at 99 %%, %.1f at most, of %d%n",
                us(apart, 0), us(apart, 50), us(apart, 90), us(apart, 99), us(apart, 100), apart.size() - 1);
        if (us(apart, 0) < -CLOCKS_US || args.length > 3 && us(apart, 99) > Integer.parseInt(args[3]))
            System.exit(1);
        System.exit(wrong > 0 || (lost > 0 ? missing < lost : missing != unseen) || equal == 0 ? 1 : 0);
    }
}
