// SPDX-License-Identifier: BSD-2-Clause
package stacks;

import java.io.PrintWriter;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** StackWalker with all frames that it can show. A method is hidden if a walker without SHOW_HIDDEN_FRAMES omits it. */
final class Walker implements Oracle.Witness {
    private static final StackWalker ALL =
            StackWalker.getInstance(EnumSet.of(StackWalker.Option.SHOW_HIDDEN_FRAMES, StackWalker.Option.RETAIN_CLASS_REFERENCE));
    private static final StackWalker SHOWN =
            StackWalker.getInstance(EnumSet.of(StackWalker.Option.SHOW_REFLECT_FRAMES, StackWalker.Option.RETAIN_CLASS_REFERENCE));

    private final Oracle.Pool pool = new Oracle.Pool();
    private final Map<String, Boolean> hidden = new ConcurrentHashMap<>();

    private static String text(StackWalker.StackFrame frame) {
        return frame.getClassName() + "\t" + frame.getMethodName() + "\t" + frame.getDescriptor();
    }

    private static boolean isProbe(StackWalker.StackFrame frame) {
        return frame.getMethodName().equals("hit") && frame.getClassName().equals("stacks.Probe");
    }

    @Override
    public int look(int max) {
        return pool.id(ALL.walk(frames -> {
            StringBuilder text = new StringBuilder(4096);
            java.util.Iterator<StackWalker.StackFrame> all = frames.iterator();
            while (all.hasNext() && !isProbe(all.next()))
                continue;
            int n = 0;
            for (; n < max && all.hasNext(); n++) {
                StackWalker.StackFrame frame = all.next();
                String method = text(frame);
                text.append("F\t").append(method).append('\t').append(frame.getLineNumber()).append('\t')
                        .append(frame.getByteCodeIndex()).append('\t').append(isHidden(method) ? "1\n" : "0\n");
            }
            return (all.hasNext() ? "1\n" : "0\n") + text;
        }));
    }

    /** Determined when a method is first seen, while it is on the stack. */
    private boolean isHidden(String method) {
        Boolean known = hidden.get(method);
        if (known == null) {
            Set<String> shown = new HashSet<>();
            SHOWN.forEach(frame -> shown.add(text(frame)));
            known = !shown.contains(method);
            hidden.put(method, known);
        }
        return known;
    }

    @Override
    public void write(PrintWriter out) {
        pool.write(out, "walker");
    }
}
