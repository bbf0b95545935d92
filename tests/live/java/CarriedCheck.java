// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordingFile;

/**
 * CarriedCheck FILE.jfr SPLITS SWITCHES: check that the parts of the calls of virtual threads agree with the program's
 * clock (see Carried) and with when its carriers left a CPU and got one again (see switches.c) within 5 % of the call or 50 us, in 99 % of the calls (and 3 more, where they are few), and that the parts of
 * every call, and its waits, add up. Time on the carrier may be part of any wait: the program reads its clock before it
 * waits and when it is back. The stacks of parks must show the method, in nine of ten calls. Prints a line for each
 * kind, and the errors; status 1 if there are any.
 */
public class CarriedCheck {
    private static final int FEW = 3, SHOWN = 5;

    private static final Map<String, List<String[]>> truths = new LinkedHashMap<>();
    private static final Map<String, List<RecordedEvent>> calls = new HashMap<>(), waits = new HashMap<>();
    private static OffCpu offCpu;
    private static int faults;

    static void read(RecordedEvent e) {
        String thread = e.getThread() == null ? null : e.getThread().getJavaName();
        String type = e.getEventType().getName();
        List<String[]> truth = truths.get(thread);
        if (truth == null)
            return;
        if (type.equals("frtrace.ThreadWait"))
            waits.computeIfAbsent(thread, k -> new ArrayList<>()).add(e);
        else if (type.equals("jdk.MethodTrace") && e.<RecordedMethod>getValue("method").getName().equals(truth.get(0)[1]))
            calls.computeIfAbsent(thread, k -> new ArrayList<>()).add(e);
    }

    static List<RecordedEvent> waitsOf(String kind, RecordedEvent call) {
        return waits.getOrDefault(kind, List.of()).stream()
            .filter(w -> !w.getStartTime().isBefore(call.getStartTime()) && !w.getEndTime().isAfter(call.getEndTime()))
            .collect(Collectors.toList());
    }

    /** The waits of a call by their reason, in ns. */
    static Map<String, Long> reasons(String kind, RecordedEvent call) {
        return waitsOf(kind, call).stream().collect(
            Collectors.toMap(w -> w.getString("reason"), w -> w.getDuration().toNanos(), Long::sum));
    }

    /** Does the stack of a park lead to the method? After a time off its carrier a thread has its newest frames only. */
    static boolean hasPlace(String kind, RecordedEvent call, String[] truth) {
        return waitsOf(kind, call).stream().anyMatch(w -> w.getString("reason").equals("parked") && w.getStackTrace() != null &&
            w.getStackTrace().getFrames().stream().anyMatch(f -> f.getMethod().getName().equals(truth[1])));
    }

    static String show(RecordedEvent e, Map<String, Long> reasons, String[] truth) {
        return String.format("%d ns = cpu %d + runq %d + blocked %d %s, the program: %s", e.getDuration().toNanos(), e.getLong("cpuTime"),
            e.getLong("runQueueTime"), e.getLong("blockedTime"), reasons, String.join(" ", truth));
    }

    static boolean addsUp(RecordedEvent e, Map<String, Long> reasons) {
        long cpu = e.getLong("cpuTime"), queue = e.getLong("runQueueTime"), blocked = e.getLong("blockedTime");
        long waited = reasons.values().stream().mapToLong(Long::longValue).sum();
        return cpu >= 0 && queue >= 0 && cpu + queue + blocked == e.getDuration().toNanos() && waited == blocked;
    }

    static boolean agrees(RecordedEvent e, Map<String, Long> reasons, String[] truth) {
        long least = Long.parseLong(truth[3]), most = Long.parseLong(truth[4]), after = Long.parseLong(truth[5]);
        long cpu = e.getLong("cpuTime"), queue = e.getLong("runQueueTime"), blocked = e.getLong("blockedTime");
        long carrier = reasons.getOrDefault("carrier", 0L), waited = reasons.getOrDefault(truth[2], 0L);
        double within = Math.max(50_000, e.getDuration().toNanos() * .05);
        if (truth[2].equals("-")) { /* the carrier may have been preempted between the begin of the call and BEGIN */
            long known = offCpu.time(truth[5], least, most);
            return known >= 0 && queue >= known - within && queue <= known + e.getDuration().toNanos() - (most - least) + within &&
                Collections.disjoint(reasons.keySet(), List.of("parked", "carrier", "sleep"));
        }
        /* the end of a sleep before may come late: the thread was made ready, and parked again */
        if (waited < least - cpu - queue - (after < 0 ? carrier : 0) - within || waited > most + within)
            return false;
        return after < 0 || carrier <= after + most - least + within && carrier >= after - (blocked - waited - carrier) - cpu - queue - within;
    }

    static void check(String kind, List<String[]> truth) {
        List<RecordedEvent> events = calls.getOrDefault(kind, List.of());
        int sums = 0, parts = 0, places = 0;
        String examples = "";
        if (events.size() != truth.size()) {
            System.out.println(kind + ": " + events.size() + " calls recorded, " + truth.size() + " made");
            faults++;
            return;
        }
        events.sort(Comparator.comparing(RecordedEvent::getStartTime));
        for (int i = 0; i < truth.size(); i++) {
            RecordedEvent e = events.get(i);
            Map<String, Long> reasons = reasons(kind, e);
            boolean known = e.getLong("cpuTime") != Long.MIN_VALUE;
            sums += known && addsUp(e, reasons) ? 0 : 1;
            parts += known && agrees(e, reasons, truth.get(i)) ? 0 : 1;
            places += !truth.get(i)[2].equals("parked") || kind.equals("monitor") || hasPlace(kind, e, truth.get(i)) ? 0 : 1;
            if ((sums > 0 || parts > 0) && !(known && addsUp(e, reasons) && agrees(e, reasons, truth.get(i))) && parts + sums <= SHOWN)
                examples += "  " + show(e, reasons, truth.get(i)) + "\n";
        }
        System.out.printf("%s: %d calls, %d do not add up, %d parts are wrong, %d have no place%n%s", kind, events.size(), sums, parts,
            places, examples);
        faults += sums > 0 || parts > truth.size() / 100 + FEW || places > truth.size() / 10 + FEW ? 1 : 0;
    }

    public static void main(String[] args) throws Exception {
        for (String line : Files.readAllLines(Path.of(args[1]))) {
            String[] f = line.split("\t");
            truths.computeIfAbsent(f[0], k -> new ArrayList<>()).add(f);
        }
        offCpu = new OffCpu(Path.of(args[2]));
        try (RecordingFile file = new RecordingFile(Path.of(args[0]))) {
            while (file.hasMoreEvents())
                read(file.readEvent());
        }
        truths.forEach(CarriedCheck::check);
        System.exit(faults > 0 ? 1 : 0);
    }
}
