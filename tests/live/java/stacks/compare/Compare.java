// SPDX-License-Identifier: BSD-2-Clause
package stacks;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;

/**
 * Compare SUBJECT OTHER [OPTION...]: compare the calls of Probe.hit, thread by thread in order, and all frames of their
 * stacks. Prints the first differences in full, the kinds of frames, and a summary. Status 1 if anything differs.
 *
 *   FILE.jfr ORACLE:walker,jvmti     a recording with what witnesses in the program saw
 *   FILE.jfr OTHER.jfr               with another recording of the same run
 *   ORACLE:walker ORACLE:jvmti       witnesses with each other; only the walker knows hidden frames
 *
 *   --depth=N      maximum number of frames in a stack of SUBJECT (64); OTHER has as many or more
 *   --unknown=N    allow N distinct stacks with frames of the class UNKNOWN or of a method without bytecode index (0)
 *   --vanish=RE    in the scenarios that match,
 *   --elsewhere=N  and N such stacks in all others (0)
 *   --missing=N    allow N calls that SUBJECT does not have (0); only with --clock
 *   --clock        SUBJECT's start times are the program's nanoTime: match calls by them, not by number
 *   --jep520       one of the two is the JDK's own recording: see REDEFINED
 *   --no-address   up to JDK 14 the JVM's name of an anonymous class has no address
 *   --no-bci       do not compare bytecode indexes: the callers are traced too, so their code differs
 *   --alone=A.b    methods (separated by commas) that the JVM itself calls: they are in the file and have no stack
 *   --typed        each frame says how its code ran: none comes from JVMTI
 *   --least=N      require at least N compared calls,
 *   --stacks=N     with at least N distinct stacks (1)
 *   --show=N       number of differences to show (3)
 *
 * With another recording the frame types are compared too, but may be Unknown: JVMTI, which gives the frames that cannot
 * be walked, does not give their type. Their number is printed before the summary.
 */
public final class Compare {
    private static final String UNKNOWN = "<unknown>";
    /** A hidden class: a.B/0x0123, in some sources a.B+0x0123 or a.B.0x0123; on JDK 8 a.B/123, in some sources a.B. */
    private static final Pattern ADDRESS = Pattern.compile("[+.](0x[0-9a-f]+)$"), NUMBER = Pattern.compile("[/.][0-9]+$");
    /**
     * Methods that the program redefines and retransforms while they run. The JDK's own recording keeps a bytecode
     * index and looks up the line when it writes, in the method's version at that time. StackWalker reports -1 for a
     * frame that is older than its class. JVMTI mistakes a method for its newer version once in some 100,000 calls.
     * Throwable is right.
     */
    private static final Set<String> REDEFINED = Set.of("stacks.Changing"),
            RETRANSFORMED = Set.of("stacks.Changing", "stacks.Loaders", "stacks.Shapes");
    /** The last frame of a virtual thread in the JDK's own recording; no witness shows it. */
    private static final Frame ENTER_SPECIAL = new Frame("jdk.internal.vm.Continuation", "enterSpecial",
            "(Ljdk/internal/vm/Continuation;ZZ)V", -1, 0, false, "Native");
    /** In the order of the lines E of Oracle. */
    private static final List<String> WITNESSES = List.of("walker", "throwable", "jvmti");

    /** Values that one side cannot know are null, or ANY. */
    static final class Frame {
        static final int ANY = Integer.MIN_VALUE;
        final String type, method, descriptor, kind;
        final int line, bci;
        final Boolean hidden;

        Frame(String type, String method, String descriptor, int line, int bci, Boolean hidden, String kind) {
            this.type = NUMBER.matcher(ADDRESS.matcher(type).replaceFirst("/$1")).replaceFirst("");
            this.method = method;
            this.descriptor = descriptor;
            this.line = line;
            this.bci = bci;
            this.hidden = hidden;
            this.kind = kind;
        }

        /** The method is known, but its code was gone. No other Java frame has this bytecode index. */
        boolean isLost() {
            return bci == -1 && line == -1 && !kind.isEmpty();
        }

        @Override
        public String toString() {
            return type + "." + method + (descriptor == null ? "" : descriptor) + " line " + text(line) + " bci " + text(bci)
                    + (hidden == null || !hidden ? "" : " hidden") + (kind.isEmpty() ? "" : " " + kind);
        }

        private static String text(int n) {
            return n == ANY ? "?" : "" + n;
        }
    }

    static final class Stack {
        final List<Frame> frames = new ArrayList<>();
        boolean cut;
    }

    static final class Call {
        final long thread, start;
        final Stack stack;
        final String scenario;

        Call(long thread, long start, Stack stack, String scenario) {
            this.thread = thread;
            this.start = start;
            this.stack = stack;
            this.scenario = scenario;
        }
    }

    private final Map<String, String> options;
    private final Map<String, Integer> faults = new TreeMap<>(), kinds = new TreeMap<>();
    /** Stacks of OTHER, by scenario, for which SUBJECT does not know a frame. */
    private final Map<String, Set<Stack>> vanished = new TreeMap<>();
    /** The results for pairs of stacks, empty if they agree: each pair is compared once. */
    private final Map<Stack, Map<Stack, String>> verdicts = new IdentityHashMap<>();
    private final Set<Stack> distinct = Collections.newSetFromMap(new IdentityHashMap<>());
    private final String witness;
    private final boolean isRecording;
    private final Set<Stack> elsewhere = Collections.newSetFromMap(new IdentityHashMap<>());
    private String firstElsewhere;
    private long events, frames, unknown, different, missing, nulls, truncated, untyped;

    private Compare(Map<String, String> options, String witness, boolean isRecording) {
        this.options = options;
        this.witness = witness;
        this.isRecording = isRecording;
    }

    public static void main(String[] args) throws Exception {
        Map<String, String> options = new HashMap<>();
        List<String> sides = new ArrayList<>();
        for (String arg : args)
            if (arg.startsWith("--"))
                options.put(arg.substring(2).split("=")[0], arg.contains("=") ? arg.split("=", 2)[1] : "yes");
            else
                sides.add(arg);
        boolean isRecording = sides.get(0).endsWith(".jfr"), good = true;
        Map<Long, List<Call>> subject = read(sides.get(0)).values().iterator().next();
        if (options.containsKey("alone"))
            good = areAlone(Path.of(sides.get(0)), new TreeSet<>(List.of(options.get("alone").split(","))));
        for (Map.Entry<String, Map<Long, List<Call>>> expected : read(sides.get(1)).entrySet())
            good &= new Compare(options, expected.getKey(), isRecording).run(subject, expected.getValue());
        System.exit(good ? 0 : 1);
    }

    private int number(String option, int otherwise) {
        return options.containsKey(option) ? Integer.parseInt(options.get(option)) : otherwise;
    }

    private boolean run(Map<Long, List<Call>> subject, Map<Long, List<Call>> expected) {
        Set<Long> threads = new TreeSet<>(subject.keySet());
        threads.addAll(expected.keySet());
        for (long thread : threads)
            match(thread, subject.getOrDefault(thread, List.of()), expected.getOrDefault(thread, List.of()));
        if (missing > number("missing", 0))
            fault("calls are missing", missing + " calls are missing");
        if (elsewhere.size() > number("elsewhere", 0))
            fault("unknown frames elsewhere", elsewhere.size() + " stacks with unknown frames, the first in " + firstElsewhere);
        if (vanished.values().stream().mapToInt(Set::size).sum() > number("unknown", 0))
            fault("too many unknown frames", "too many unknown frames");
        if (untyped > 0 && options.containsKey("typed"))
            fault("frames without a type", untyped + " frames without a type");
        if (events < number("least", 1) || distinct.size() < number("stacks", 1))
            fault("too little to compare", "too little to compare");
        faults.forEach((what, n) -> System.out.println(n + " times: " + what));
        kinds.forEach((kind, n) -> System.out.print(n + " " + kind + ", "));
        System.out.println(nulls + " without stack, " + truncated + " truncated, " + missing + " missing");
        if (!vanished.isEmpty())
            System.out.println("stacks with unknown frames:"
                    + vanished.entrySet().stream().map(e -> " " + e.getKey() + " " + e.getValue().size()).collect(Collectors.joining(",")));
        System.out.println(witness + ": " + events + " events, " + distinct.size() + " distinct stacks, " + frames
                + " frames compared, " + different + " different, " + unknown + " unknown");
        return faults.isEmpty();
    }

    private static Map<String, Map<Long, List<Call>>> read(String side) throws IOException {
        if (side.endsWith(".jfr"))
            return Map.of("recording", readRecording(Path.of(side)));
        int colon = side.lastIndexOf(':');
        return readOracle(Path.of(side.substring(0, colon)), List.of(side.substring(colon + 1).split(",")));
    }

    // ---- reading

    private static Map<Long, List<Call>> byThread(List<Call> calls) {
        Map<Long, List<Call>> threads = new HashMap<>();
        for (Call call : calls)
            threads.computeIfAbsent(call.thread, t -> new ArrayList<>()).add(call);
        for (List<Call> of : threads.values())
            of.sort(Comparator.comparingLong(call -> call.start));
        return threads;
    }

    /** One object for equal stacks, so that each pair is compared once. */
    private static Map<Long, List<Call>> readRecording(Path file) throws IOException {
        List<Call> calls = new ArrayList<>();
        Map<RecordedStackTrace, Stack> stacks = new IdentityHashMap<>();
        Map<String, Stack> pool = new HashMap<>();
        Stack none = new Stack();
        try (RecordingFile recording = new RecordingFile(file)) {
            while (recording.hasMoreEvents()) {
                RecordedEvent event = recording.readEvent();
                if (!event.getEventType().getName().equals("jdk.MethodTrace") || event.getValue("method") == null)
                    continue;
                RecordedMethod method = event.getValue("method");
                if (!method.getName().equals("hit") || !method.getType().getName().equals("stacks.Probe"))
                    continue;
                RecordedStackTrace trace = event.getStackTrace();
                Stack stack = trace == null ? none : stacks.computeIfAbsent(trace, t -> stack(t, pool));
                calls.add(new Call(event.getThread().getJavaThreadId(), event.getLong("startTime"), stack, ""));
            }
        }
        return byThread(calls);
    }

    /** Methods that no Java code called. */
    private static boolean areAlone(Path file, Set<String> methods) throws IOException {
        Set<String> called = new TreeSet<>();
        boolean good = true;
        try (RecordingFile recording = new RecordingFile(file)) {
            while (recording.hasMoreEvents()) {
                RecordedEvent event = recording.readEvent();
                RecordedMethod method = event.hasField("method") ? event.getValue("method") : null;
                String name = method == null ? "" : method.getType().getName() + "." + method.getName();
                if (!methods.contains(name) || !event.getEventType().getName().equals("jdk.MethodTrace"))
                    continue;
                if (event.getStackTrace() != null && called.add(name + " with a stack"))
                    System.out.println(name + " has a stack: " + event.getStackTrace().getFrames());
                good &= event.getStackTrace() == null;
                called.add(name);
            }
        }
        if (!called.containsAll(methods))
            System.out.println("methods called, of " + methods + ": " + called);
        return good && called.containsAll(methods);
    }

    private static Stack stack(RecordedStackTrace trace, Map<String, Stack> pool) {
        Stack stack = new Stack();
        stack.cut = trace.isTruncated();
        for (RecordedFrame frame : trace.getFrames()) {
            RecordedMethod method = frame.getMethod();
            stack.frames.add(new Frame(method.getType().getName(), method.getName(), method.getDescriptor(),
                    frame.getLineNumber(), frame.getBytecodeIndex(), method.isHidden(), frame.getType()));
        }
        return pool.computeIfAbsent(stack.cut + "" + stack.frames, t -> stack);
    }

    private static Map<String, Map<Long, List<Call>>> readOracle(Path file, List<String> witnesses) throws IOException {
        Map<String, List<Call>> calls = new TreeMap<>();
        Map<String, Stack> stacks = new HashMap<>();
        Map<String, String> scenarios = new HashMap<>();
        Stack stack = null;
        for (String witness : witnesses)
            calls.put(witness, new ArrayList<>());
        try (BufferedReader in = Files.newBufferedReader(file)) {
            for (String line; (line = in.readLine()) != null;) {
                String[] part = line.split("\t");
                switch (part[0]) {
                case "K":
                    scenarios.put(part[1], part[2]);
                    break;
                case "S":
                    stack = witnesses.contains(part[1]) ? new Stack() : null;
                    stacks.put(part[1] + part[2], stack);
                    if (stack != null)
                        stack.cut = part[3].equals("1");
                    break;
                case "F":
                    if (stack != null)
                        stack.frames.add(frame(part));
                    break;
                default:
                    for (int i = 0; i < WITNESSES.size(); i++)
                        if (stacks.get(WITNESSES.get(i) + part[4 + i]) != null)
                            calls.get(WITNESSES.get(i)).add(new Call(Long.parseLong(part[1]), Long.parseLong(part[2]),
                                    stacks.get(WITNESSES.get(i) + part[4 + i]), scenarios.get(part[3])));
                }
            }
        }
        Map<String, Map<Long, List<Call>>> all = new TreeMap<>();
        calls.forEach((witness, of) -> all.put(witness, byThread(of)));
        return all;
    }

    /** In a recording, a native method has line -1 and bytecode index 0. Witnesses have line -2. */
    private static Frame frame(String[] part) {
        int line = Integer.parseInt(part[4]), bci = part[5].equals("?") ? Frame.ANY : Integer.parseInt(part[5]);
        return new Frame(part[1], part[2], part[3].equals("?") ? null : part[3], line == -2 ? -1 : line, line == -2 ? 0 : bci,
                part[6].equals("?") ? null : part[6].equals("1"), line == -2 ? "Native" : "");
    }

    // ---- matching

    private void match(long thread, List<Call> subject, List<Call> expected) {
        if (options.containsKey("clock"))
            matchByTime(thread, subject, expected);
        else
            matchByNumber(thread, subject, expected);
    }

    private void matchByNumber(long thread, List<Call> subject, List<Call> expected) {
        if (subject.size() != expected.size()) {
            fault("number of calls of a thread", "thread " + thread + ": " + subject.size() + " calls in the file, "
                    + expected.size() + " expected, " + (expected.isEmpty() ? "" : expected.get(0).scenario));
            return;
        }
        for (int i = 0; i < subject.size(); i++)
            compare(thread, i, subject.get(i), expected.get(i));
    }

    /**
     * The program reads its clock within the call: not before the call's start, and after the start of the previous
     * call.
     */
    private void matchByTime(long thread, List<Call> subject, List<Call> expected) {
        int at = 0;
        for (int i = 0; i < expected.size(); i++) {
            long inside = expected.get(i).start, before = i == 0 ? Long.MIN_VALUE : expected.get(i - 1).start;
            if (at < subject.size() && subject.get(at).start <= inside && subject.get(at).start >= before)
                compare(thread, i, subject.get(at++), expected.get(i));
            else
                missing++;
        }
        if (at < subject.size())
            fault("a call that the program did not make", "thread " + thread + ": a call at " + subject.get(at).start + " that the program did not make");
    }

    private void compare(long thread, int index, Call subject, Call expected) {
        events++;
        distinct.add(subject.stack);
        nulls += subject.stack.frames.isEmpty() ? 1 : 0;
        truncated += subject.stack.cut ? 1 : 0;
        for (Frame frame : subject.stack.frames) {
            kinds.merge(frame.kind, 1, Integer::sum);
            untyped += frame.kind.equals("Unknown") && !frame.type.equals(UNKNOWN) ? 1 : 0;
        }
        String verdict = verdicts.computeIfAbsent(subject.stack, s -> new IdentityHashMap<>())
                .computeIfAbsent(expected.stack, s -> judge(subject.stack, s));
        frames += subject.stack.frames.size();
        long lost = isRecording ? subject.stack.frames.stream().filter(Frame::isLost).count() : 0;
        unknown += lost;
        if (lost > 0)
            vanished.computeIfAbsent(expected.scenario, s -> Collections.newSetFromMap(new IdentityHashMap<>())).add(expected.stack);
        if (lost > 0 && !expected.scenario.matches(options.getOrDefault("vanish", "")) && elsewhere.add(expected.stack)
                && firstElsewhere == null)
            firstElsewhere = expected.scenario + "\n" + sideBySide(subject.stack, expected.stack);
        if (verdict.isEmpty())
            return;
        different++;
        fault(verdict, "thread " + thread + " call " + index + " " + expected.scenario + subject.scenario + ": " + verdict + "\n"
                + sideBySide(subject.stack, expected.stack));
    }

    private void fault(String what, String detail) {
        if (faults.values().stream().mapToInt(n -> 1).sum() <= number("show", 3) && faults.getOrDefault(what, 0) == 0)
            System.out.println(detail);
        faults.merge(what, 1, Integer::sum);
    }

    private static String sideBySide(Stack subject, Stack expected) {
        StringBuilder text = new StringBuilder();
        int n = Math.max(subject.frames.size(), expected.frames.size());
        text.append("    file: ").append(subject.frames.size()).append(" frames, truncated ").append(subject.cut).append("; expected: ")
                .append(expected.frames.size()).append(" frames, truncated ").append(expected.cut).append('\n');
        for (int i = 0; i < Math.min(n, 70); i++) {
            text.append("    ").append(i).append("\t").append(i < subject.frames.size() ? subject.frames.get(i) : "-").append('\n');
            text.append("    =\t").append(i < expected.frames.size() ? expected.frames.get(i) : "-").append('\n');
        }
        return text.toString();
    }

    // ---- comparing

    /** Empty if they agree, or the first difference. */
    private String judge(Stack subject, Stack expected) {
        int depth = number("depth", 64);
        List<Frame> seen = new ArrayList<>(subject.frames), want = new ArrayList<>(expected.frames);
        boolean cut = expected.cut;
        if (isRecording && !cut && !want.isEmpty() && isEntry(want.get(want.size() - 1)))
            want.add(ENTER_SPECIAL);
        if (witness.equals("throwable"))
            seen.removeIf(frame -> frame.hidden == Boolean.TRUE);
        if (subject.frames.size() > depth)
            return "more than " + depth + " frames";
        if (subject.cut && subject.frames.size() < depth && !endsUnknown(seen))
            return "truncated with fewer than " + depth + " frames";
        boolean whole = seen.stream().noneMatch(frame -> frame.type.equals(UNKNOWN));
        if (whole && subject.cut && !cut && want.size() <= seen.size())
            return "truncated";
        if (whole && !subject.cut && (cut || want.size() > depth))
            return "not truncated";
        return judge(seen, 0, want, 0, subject.cut);
    }

    /** A walk ends at code that is not known. Then the last frame says so, and counts as unknown. */
    private static boolean endsUnknown(List<Frame> seen) {
        return !seen.isEmpty() && seen.get(seen.size() - 1).type.equals(UNKNOWN);
    }

    /**
     * An unknown frame of compiled code stands for everything inlined there: for one or more frames, or for none if
     * only hidden ones are left out.
     */
    private String judge(List<Frame> seen, int i, List<Frame> want, int j, boolean cut) {
        for (; i < seen.size(); i++, j++) {
            int end = i;
            while (end < seen.size() && seen.get(end).type.equals(UNKNOWN))
                end++;
            if (end > i)
                return judgeRest(seen, end, want, witness.equals("throwable") ? j : j + end - i, cut);
            if (j >= want.size())
                return "an extra frame: " + describe(seen.get(i));
            String verdict = judge(seen.get(i), want.get(j));
            if (!verdict.isEmpty())
                return verdict;
        }
        return j >= want.size() || cut ? "" : "a frame is missing: " + describe(want.get(j));
    }

    private String judgeRest(List<Frame> seen, int i, List<Frame> want, int least, boolean cut) {
        String first = "an extra frame: " + UNKNOWN;
        for (int j = want.size(); j >= least; j--) {
            first = judge(seen, i, want, j, cut);
            if (first.isEmpty())
                return "";
        }
        return "after " + UNKNOWN + ": " + first;
    }

    /** The last frame of a virtual thread, as witnesses see it. */
    private static boolean isEntry(Frame last) {
        return last.type.equals("jdk.internal.vm.Continuation") && last.method.equals("enter")
                || last.type.equals("java.lang.VirtualThread") && last.method.equals("run");
    }

    private String name(Frame frame) {
        return options.containsKey("no-address") ? frame.type.replaceFirst("/0x[0-9a-f]+$", "") : frame.type;
    }

    private String judge(Frame seen, Frame want) {
        if (!name(seen).equals(name(want)) || !seen.method.equals(want.method))
            return "another method";
        if (want.descriptor != null && seen.descriptor != null && !seen.descriptor.equals(want.descriptor))
            return "another descriptor";
        if (!want.kind.isEmpty() && !seen.kind.isEmpty() && !seen.kind.equals(want.kind) && !seen.kind.equals("Unknown"))
            return "type " + seen.kind + " not " + want.kind + ": " + describe(seen);
        if (isRecording && seen.isLost())
            return "";
        if (seen.line != want.line && !isLineOfOtherVersion(seen, want))
            return "line " + seen.line + " not " + want.line + ": " + describe(seen);
        if (seen.bci != want.bci && seen.bci != Frame.ANY && want.bci != Frame.ANY && !options.containsKey("no-bci"))
            return "bci " + seen.bci + " not " + want.bci + ": " + describe(seen);
        if (want.hidden != null && seen.hidden != null && !seen.hidden.equals(want.hidden))
            return "hidden " + seen.hidden + " not " + want.hidden + ": " + describe(seen);
        return "";
    }

    private boolean isLineOfOtherVersion(Frame seen, Frame want) {
        return (options.containsKey("jep520") || witness.equals("jvmti")) && REDEFINED.contains(want.type)
                || (isRecording && witness.equals("walker") ? want.line == -1 : !isRecording && seen.line == -1)
                        && RETRANSFORMED.contains(want.type);
    }

    private static String describe(Frame frame) {
        return frame.type.replaceAll("0x[0-9a-f]+|[0-9]+", "N") + "." + frame.method + " " + frame.kind;
    }
}
