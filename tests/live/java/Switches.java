// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;

/**
 * Switches DIR PAIRS MS: each pair of threads passes a byte back and forth through two pipes for MS ms, in one call of
 * relay() per thread. Writes into the file `switches` how often each thread left its CPU there, as the kernel counts
 * it: "NAME N", and the number per second.
 */
public class Switches {
    private static final byte GO_ON = 0, STOP = 1;

    static long switches() throws IOException {
        long n = 0;
        for (String line : Files.readAllLines(Paths.get("/proc/thread-self/status")))
            if (line.contains("voluntary_ctxt_switches"))
                n += Long.parseLong(line.replaceAll(".*\\s", ""));
        return n;
    }

    private static byte take(Pipe from, ByteBuffer one) throws IOException {
        one.clear();
        from.source().read(one);
        return one.get(0);
    }

    private static void give(Pipe to, ByteBuffer one, byte value) throws IOException {
        one.clear();
        one.put(0, value);
        to.sink().write(one);
    }

    /** The leader says when it is over. */
    static long relay(Pipe from, Pipe to, boolean leads, long end) throws IOException {
        ByteBuffer one = ByteBuffer.allocateDirect(1);
        long before = switches();
        byte last = GO_ON;
        while (last == GO_ON) {
            if (!leads)
                last = take(from, one);
            else if (System.nanoTime() >= end)
                last = STOP;
            give(to, one, last);
            if (leads && last == GO_ON)
                take(from, one);
        }
        return switches() - before;
    }

    static final class Half extends Thread {
        private final Pipe from, to;
        private final boolean leads;
        private final long end;
        volatile long switches = -1;

        Half(String name, Pipe from, Pipe to, boolean leads, long end) {
            super(name);
            this.from = from;
            this.to = to;
            this.leads = leads;
            this.end = end;
        }

        @Override public void run() {
            try {
                switches(); // loads the needed classes
                switches = relay(from, to, leads, end);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int pairs = Integer.parseInt(args[1]);
        long ms = Long.parseLong(args[2]), all = 0;
        List<Half> halves = new ArrayList<>();
        StringBuilder counts = new StringBuilder();
        stage.awaitGo();
        long end = System.nanoTime() + ms * 1_000_000;
        for (int i = 0; i < pairs; i++) {
            Pipe there = Pipe.open(), back = Pipe.open();
            halves.add(new Half("leads-" + i, back, there, true, end));
            halves.add(new Half("follows-" + i, there, back, false, end));
        }
        for (Half half : halves)
            half.start();
        for (Half half : halves) {
            half.join();
            all += half.switches;
            counts.append(half.getName()).append(' ').append(half.switches).append('\n');
        }
        stage.write("switches", counts + "a-second " + all * 1000 / ms + "\n");
        stage.expect("live.Switches", "relay", halves.size(), 0);
        stage.finish();
    }
}
