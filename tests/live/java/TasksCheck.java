// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
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
 * TasksCheck RECORDING LOG LOST: the tasks of each call in the recording, as the JDK reads it, must be those that Tasks has
 * logged: with the same outcome, handed over and run by the same threads. A task that a task has handed over belongs to the
 * call at the end of the chain. For each one that is missing, one is "not seen": the first of a worker that had waited for
 * it since before the recording. So many were counted as LOST; they, and what they have handed on, may be missing, too.
 */
public class TasksCheck {
    /** A call, or the run of a task; `root` is the thread and number of the call. */
    record Span(long start, long end, String thread, String root) {}

    record Task(long start, long begun, long end, String by, String on, String outcome) {}

    static final Map<String, TreeMap<Long, Span>> spans = new HashMap<>();

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
                found.merge(root + " " + t.outcome + " " + t.by + " " + t.on, 1, Integer::sum);
            }
        return found;
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

            logged.merge(l[7] + "#" + number + " " + l[1] + " " + l[5] + " " + l[6], 1, Integer::sum);
        }
        return logged;
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
        System.exit(wrong > 0 || (lost > 0 ? missing < lost : missing != unseen) || equal == 0 ? 1 : 0);
    }
}
