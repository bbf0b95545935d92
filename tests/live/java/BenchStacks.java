// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Random;

/**
 * The program of scripts/bench for stacks: measure the current cost of a call of Bench.work() at the end of a stack of
 * 4, 34 or 104 frames. Reads lines "steady|varied FRAMES MS BATCH", answers with the ns per call and the number of
 * calls.
 *
 * A stack is run(), pairs of Link.call() and step(), and Leaf.call(). As usual in JIT-compiled code, half of the frames
 * are physical: call() has 32 receivers and is not inlined; step() is small and is inlined in each call(). Links and
 * leaves are of 16 classes each, with compiled code of their own, and a link has four call sites: 64 different stacks.
 *
 * steady: the direct caller calls work() in a loop, always on the same stack.
 * varied: the 64 stacks in turn; everything but run() returns and is called again between two calls of work().
 */
public class BenchStacks {
    static final int STACKS = 64, COPIES = 16, SITES = 4;
    static final Random random = new Random(520);

    public abstract static class Frame {
        Frame next;
        public int site;

        public abstract int call(int x, int calls);

        public final int step(int x, int calls) {
            return next.call(x, calls);
        }
    }

    public static class Link extends Frame {
        @Override
        public int call(int x, int calls) {
            switch (site) {
            case 0:
                return step(x, calls) + 1;
            case 1:
                return step(x, calls) + 2;
            case 2:
                return step(x, calls) + 3;
            default:
                return step(x, calls) + 4;
            }
        }
    }

    public static class Leaf extends Frame {
        @Override
        public int call(int x, int calls) {
            for (int i = 0; i < calls; i++)
                x = Bench.work(x);
            return x;
        }
    }

    /** Its classes are copies of Link and Leaf, different classes for the JVM. */
    static class Copy extends ClassLoader {
        Class<? extends Frame> define(Class<? extends Frame> original) throws Exception {
            String file = original.getName().replace('.', '/') + ".class";
            byte[] bytes = Files.readAllBytes(Paths.get(ClassLoader.getSystemResource(file).toURI()));
            return defineClass(original.getName(), bytes, 0, bytes.length).asSubclass(Frame.class);
        }
    }

    static class Measurement extends Thread {
        final Frame[] stacks;
        final boolean varied;
        final long ms;
        final int batch;
        final Bench.Samples samples = new Bench.Samples();
        long calls;

        Measurement(Frame[] stacks, boolean varied, long ms, int batch) {
            this.stacks = stacks;
            this.varied = varied;
            this.ms = ms;
            this.batch = batch;
        }

        @Override
        public void run() {
            long end = System.nanoTime() + ms * 1_000_000;
            int x = Bench.sink | 1;
            do {
                long start = System.nanoTime();
                if (varied) {
                    for (int i = 0; i < batch; i++)
                        x = stacks[i % STACKS].call(x, 1);
                } else {
                    x = stacks[0].call(x, batch);
                }
                samples.add((double) (System.nanoTime() - start) / batch);
                calls += batch;
            } while (System.nanoTime() < end);
            Bench.sink = x;
        }
    }

    static Measurement measure(Frame[] stacks, boolean varied, long ms, int batch) throws Exception {
        Measurement measurement = new Measurement(stacks, varied, ms, batch);
        measurement.start();
        measurement.join();
        return measurement;
    }

    static Frame link(Class<? extends Frame> link, int site, Frame next) throws Exception {
        Frame frame = link.getDeclaredConstructor().newInstance();
        frame.site = site;
        frame.next = next;
        return frame;
    }

    /** The class and call site of the topmost link make each of the 64 stacks different. */
    static Frame[] stacks(int frames, Class<? extends Frame>[] links, Class<? extends Frame>[] leaves) throws Exception {
        Frame[] stacks = new Frame[STACKS];
        for (int i = 0; i < STACKS; i++) {
            stacks[i] = link(leaves[random.nextInt(COPIES)], 0, null);
            stacks[i] = link(links[i % COPIES], i / COPIES, stacks[i]);
            for (int depth = 4; depth < frames; depth += 2)
                stacks[i] = link(links[random.nextInt(COPIES)], random.nextInt(SITES), stacks[i]);
        }
        return stacks;
    }

    public static void main(String[] args) throws Exception {
        @SuppressWarnings("unchecked")
        Class<? extends Frame>[] links = new Class[COPIES], leaves = new Class[COPIES];
        for (int i = 0; i < COPIES; i++) {
            Copy copy = new Copy();
            links[i] = copy.define(Link.class);
            leaves[i] = copy.define(Leaf.class);
        }
        Frame[][] stacks = new Frame[105][];
        for (int frames : new int[] {104, 34, 4}) {
            stacks[frames] = stacks(frames, links, leaves);
            measure(stacks[frames], true, 300, 1000);
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            Measurement m = measure(stacks[Integer.parseInt(words[1])], words[0].equals("varied"),
                    Long.parseLong(words[2]), Integer.parseInt(words[3]));
            System.out.println(m.samples.quartile() + " " + m.calls);
        }
    }
}
