// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * UsageCheck FILE.jfr USAGE: check that each call has the system calls and page faults that the program knows of (see
 * Usage). The JVM's own work in the same thread counts as well: it waits for a collection, compiles, discards code. So
 * 10 % of the calls of a method may have more (3 calls if there are few). None may have fewer, except faults that were
 * counted around the call, which may be fewer in as many calls. Time in system calls is at most the call's, and that of
 * the blocking one matches the program's clock within 5 % or 100 us. Prints a line for each method of each kind, and
 * the errors; status 1 if there are any.
 */
public class UsageCheck {
    private static final double SHARE = 0.1;
    private static final int FEW = 3;
    private static final String[] FIELDS = {"syscalls", "syscallTime", "majorFaults", "minorFaults"};

    static class Method {
        String name;
        List<long[]> calls = new ArrayList<>();
        List<RecordedEvent> events = new ArrayList<>();
        int[] more = new int[FIELDS.length], less = new int[FIELDS.length];
        long[] sums = new long[FIELDS.length];
        List<String> examples = new ArrayList<>();
    }

    private static final Map<String, Method> methods = new LinkedHashMap<>();
    private static final List<String> faults = new ArrayList<>();

    static void readTruth(String line) {
        String[] f = line.split("\t");
        long[] values = new long[FIELDS.length];
        for (int i = 0; i < values.length; i++)
            values[i] = Long.parseLong(f[3 + i]);
        methods.computeIfAbsent(f[1] + " " + f[2], k -> new Method()).calls.add(values);
    }

    static String thread(RecordedEvent e) {
        RecordedThread t = e.getThread();
        String name = t == null ? null : t.getJavaName();
        return name == null || name.isEmpty() ? "virtual" : name;
    }

    static void readEvent(RecordedEvent e) {
        if (!e.getEventType().getName().equals("jdk.MethodTrace"))
            return;
        Method m = methods.get(thread(e) + " " + e.<RecordedMethod>getValue("method").getName());
        if (m != null)
            m.events.add(e);
    }

    static void checkCall(Method m, long[] truth, RecordedEvent e) {
        StringBuilder seen = new StringBuilder();
        for (int i = 0; i < FIELDS.length; i++) {
            long value = e.getLong(FIELDS[i]), slack = i == 1 && truth[1] >= 0 ? Math.max(100_000, truth[1] / 20) : 0;
            m.sums[i] += value;
            seen.append(' ').append(FIELDS[i]).append(' ').append(value).append('/').append(truth[i]);
            if (truth[i] == -1)
                continue;
            m.more[i] += value > truth[i] + slack ? 1 : 0;
            m.less[i] += value < truth[i] - slack ? 1 : 0;
            if ((value > truth[i] + slack || value < truth[i] - slack) && m.examples.size() < 5)
                m.examples.add(seen.toString());
        }
        if (truth[0] >= 0 && e.getLong("syscallTime") > e.getDuration().toNanos())
            faults.add(m.name + ": longer in system calls than the call itself: " + seen);
    }

    static void check(String name, Method m) {
        m.name = name;
        m.events.sort(Comparator.comparing(RecordedEvent::getStartTime));
        if (m.events.size() != m.calls.size()) {
            faults.add(name + ": " + m.events.size() + " events of " + m.calls.size() + " calls");
            return;
        }
        for (int i = 0; i < m.calls.size(); i++)
            checkCall(m, m.calls.get(i), m.events.get(i));
        StringBuilder line = new StringBuilder(name + ": " + m.calls.size() + " calls;");
        double most = Math.max(FEW, m.calls.size() * SHARE);
        for (int i = 0; i < FIELDS.length; i++) {
            line.append(String.format(" %s %d (%d more, %d less)", FIELDS[i], m.sums[i], m.more[i], m.less[i]));
            if (m.more[i] > most || m.less[i] > (name.startsWith("m") || i == 1 ? most : 0))
                faults.add(name + ": " + FIELDS[i] + " differ:" + m.examples);
        }
        System.out.println(line);
    }

    static long total(String name, int field) {
        long sum = 0;
        for (long[] c : methods.get(name).calls)
            sum += c[field];
        return sum;
    }

    public static void main(String[] args) throws Exception {
        Files.readAllLines(Path.of(args[1])).forEach(UsageCheck::readTruth);
        try (RecordingFile f = new RecordingFile(Path.of(args[0]))) {
            while (f.hasMoreEvents())
                readEvent(f.readEvent());
        }
        methods.forEach(UsageCheck::check);
        if (methods.containsKey("major readCold") && total("major readCold", 2) < 100)
            faults.add("too few calls had a major fault to check anything");
        faults.forEach(System.out::println);
        System.exit(faults.isEmpty() ? 0 : 1);
    }
}
