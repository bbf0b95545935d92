// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

import java.lang.reflect.Modifier;

import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordingFile;

/**
 * NativesCheck FILE.jfr METHOD...: each call of a native method lies in a call of the method that called it, if that is
 * recorded. Its stack is that method's frame and then the stack of that call, which the agent has walked. Of each METHOD
 * there is such a call. Prints each difference; status 1 if there is one.
 */
public class NativesCheck {
    record Span(long start, long end, List<String> stack) {
    }

    static final TreeSet<String> faults = new TreeSet<>();
    static final TreeMap<String, Long> compared = new TreeMap<>();

    static String name(RecordedMethod m) {
        return m.getType().getName() + "." + m.getName() + m.getDescriptor();
    }

    static List<String> stack(RecordedEvent e) {
        List<String> frames = new ArrayList<>();

        if (e.getStackTrace() == null)
            return frames;
        for (RecordedFrame f : e.getStackTrace().getFrames())
            frames.add(name(f.getMethod()) + ":" + f.getLineNumber());
        if (e.getStackTrace().isTruncated())
            frames.add("truncated");
        return frames;
    }

    static long ns(java.time.Instant t) {
        return t.getEpochSecond() * 1_000_000_000L + t.getNano();
    }

    static Span span(RecordedEvent e) {
        long start = ns(e.getStartTime());

        return new Span(start, start + e.getDuration().toNanos(), stack(e));
    }

    static String key(RecordedEvent e, String method) {
        return (e.getThread() == null ? "?" : e.getThread().getOSThreadId() + "/" + e.getThread().getJavaThreadId())
                + " " + method;
    }

    public static void main(String[] args) throws Exception {
        List<RecordedEvent> natives = new ArrayList<>();
        Map<String, List<Span>> others = new HashMap<>();
        Map<String, Boolean> recorded = new HashMap<>();

        for (RecordedEvent e : RecordingFile.readAllEvents(Path.of(args[0]))) {
            if (!e.getEventType().getName().equals("jdk.MethodTrace"))
                continue;
            RecordedMethod m = e.getValue("method");
            if (Modifier.isNative(m.getModifiers()))
                natives.add(e);
            else
                others.computeIfAbsent(key(e, name(m)), k -> new ArrayList<>()).add(span(e));
            recorded.put(name(m), true);
        }
        for (RecordedEvent e : natives)
            check(e, others, recorded);
        for (int i = 1; i < args.length; i++)
            if (compared.keySet().stream().noneMatch(args[i]::equals))
                faults.add("no call of " + args[i] + " was compared");
        faults.stream().limit(20).forEach(System.out::println);
        System.out.println(compared);
        System.exit(faults.isEmpty() ? 0 : 1);
    }

    static void check(RecordedEvent e, Map<String, List<Span>> others, Map<String, Boolean> recorded) {
        RecordedMethod m = e.getValue("method");
        String name = m.getType().getName() + "." + m.getName();
        Span own = span(e);

        if (own.stack.isEmpty()) {
            faults.add(name + " has no stack");
            return;
        }
        String caller = own.stack.get(0).replaceAll(":-?\\d+$", "");
        if (!recorded.containsKey(caller))
            return;
        List<String> rest = own.stack.subList(1, own.stack.size());
        boolean inside = false;
        for (Span s : others.getOrDefault(key(e, caller), List.of())) {
            if (s.start > own.start || s.end < own.end)
                continue;
            inside = true;
            if (!s.stack.equals(rest))
                faults.add(name + " has the stack " + rest + ", its caller " + s.stack);
        }
        if (inside)
            compared.merge(name, 1L, Long::sum);
        else
            faults.add(name + " is in no call of " + caller + " of its thread");
    }
}
