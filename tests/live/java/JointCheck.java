// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import jdk.jfr.EventType;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordingFile;

/**
 * JointCheck FILE STAMPS: check that the JVM's event of each call of live.Joint.work lies within the call that frtrace
 * recorded, in the same thread, and that both match the program's own clock. Events must be sorted by their end.
 */
public class JointCheck {
    static final long TOLERANCE = 5_000_000; // ns; a call takes three times that

    static int findings;

    static void finding(String text) {
        if (findings++ < 10)
            System.out.println(text);
    }

    static long nanos(Instant t) {
        return t.getEpochSecond() * 1_000_000_000 + t.getNano();
    }

    static boolean isCall(RecordedEvent e) {
        if (!e.getEventType().getName().equals("jdk.MethodTrace"))
            return false;
        RecordedMethod m = e.getValue("method");
        return m.getType().getName().equals("live.Joint") && m.getName().equals("work");
    }

    static RecordedEvent around(RecordedEvent mark, List<RecordedEvent> calls) {
        for (RecordedEvent call : calls)
            if (call.getThread().getId() == mark.getThread().getId()
                    && !call.getStartTime().isAfter(mark.getStartTime().plusNanos(TOLERANCE))
                    && !call.getEndTime().isBefore(mark.getEndTime().minusNanos(TOLERANCE)))
                return call;
        return null;
    }

    static void check(RecordedEvent mark, List<RecordedEvent> calls, long before, long after) {
        RecordedEvent call = around(mark, calls);
        if (call == null) {
            finding("no call around " + mark);
            return;
        }
        if (Math.abs(nanos(call.getStartTime()) - before) > TOLERANCE && nanos(call.getStartTime()) < before)
            finding("begins before the program says: " + before + "\n" + call);
        if (nanos(call.getEndTime()) > after + TOLERANCE)
            finding("ends after the program says: " + after + "\n" + call);
        if (nanos(mark.getStartTime()) < before - TOLERANCE || nanos(mark.getEndTime()) > after + TOLERANCE)
            finding("the JVM's event is not within " + before + " to " + after + "\n" + mark);
    }

    /** A setting names its event by the number of the event type, which must be right for both halves. */
    static void checkSettings(Path file, Map<Long, String> settings) throws Exception {
        Map<Long, String> names = new HashMap<>();
        try (RecordingFile f = new RecordingFile(file)) {
            for (EventType type : f.readEventTypes())
                if (names.containsValue(type.getName()))
                    finding("two types are named " + type.getName());
                else
                    names.put(type.getId(), type.getName());
        }
        List<String> found = new ArrayList<>();
        settings.forEach((id, value) -> found.add(names.get(id)));
        if (found.contains(null))
            finding("settings of types that are not in the file: " + settings);
        for (String name : List.of("jdk.MethodTrace", "jdk.GarbageCollection", "live.Mark"))
            if (!found.contains(name))
                finding("no setting for " + name);
    }

    /** A wait event may arrive after the chunk that it belongs to was closed. It is in the next chunk then. */
    static final java.time.Duration LATE = java.time.Duration.ofSeconds(1);

    static boolean isLate(RecordedEvent e) {
        String type = e.getEventType().getName();
        return type.equals("frtrace.ThreadWait") || type.equals("frtrace.RunQueue") || type.equals("jdk.MethodTrace");
    }

    public static void main(String[] args) throws Exception {
        List<RecordedEvent> calls = new ArrayList<>();
        Map<Integer, RecordedEvent> marks = new HashMap<>();
        long events = 0, collections = 0;
        Map<Long, String> settings = new HashMap<>();
        Instant last = Instant.MIN;
        try (RecordingFile file = new RecordingFile(Path.of(args[0]))) {
            while (file.hasMoreEvents()) {
                RecordedEvent e = file.readEvent();
                events++;
                if (e.getEndTime().isBefore(isLate(e) ? last.minus(LATE) : last))
                    finding("out of order, after " + last + ": " + e);
                if (e.getEndTime().isAfter(last))
                    last = e.getEndTime();
                if (isCall(e))
                    calls.add(e);
                if (e.getEventType().getName().equals("jdk.ActiveSetting"))
                    settings.put(e.getLong("id"), e.getString("value"));
                if (e.getEventType().getName().equals("live.Mark"))
                    marks.put(e.getInt("number"), e);
                if (e.getEventType().getName().equals("jdk.GarbageCollection"))
                    collections++;
            }
        }
        checkSettings(Path.of(args[0]), settings);
        List<String> stamps = Files.readAllLines(Path.of(args[1]));
        for (String stamp : stamps) {
            String[] words = stamp.split(" ");
            RecordedEvent mark = marks.get(Integer.parseInt(words[0]));
            if (mark == null)
                finding("no event for call " + words[0]);
            else
                check(mark, calls, Long.parseLong(words[1]), Long.parseLong(words[2]));
        }
        if (calls.size() != stamps.size())
            finding(calls.size() + " calls, the program made " + stamps.size());
        if (collections == 0)
            finding("no garbage collection");
        System.out.println(stamps.size() + " calls, " + events + " events");
        System.exit(findings > 0 ? 1 : 0);
    }
}
