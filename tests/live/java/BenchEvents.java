// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Arrays;
import jdk.jfr.Event;
import jdk.jfr.StackTrace;

/**
 * The program of scripts/bench-events: the same work in a method that frtrace makes an event of, and in one with an event
 * written by hand. Reads lines "VARIANT MS" and answers with the ns per call, the lower quartile of many short samples.
 */
public class BenchEvents {
    static final int BATCH = 10_000;
    static final String TEXT = "0123456789abcdef0123456789abcdef"; // 32 characters

    @StackTrace(false)
    static class IntEvent extends Event {
        int value;
    }

    @StackTrace(false)
    static class TextEvent extends Event {
        String value;
    }

    static int withInt(int x) {
        return Bench.work(x);
    }

    static int withText(int x, String text) {
        return Bench.work(x);
    }

    /** Three fields one behind the other, each of a class that the compiler knows, or each of an interface. */
    static class Order implements Anything {
        Owner owner = new Owner();
        Anything any = owner;
    }

    static class Owner implements Anything {
        Address address = new Address();
        Anything any = address;
    }

    static class Address implements Anything {
        int number = 7;
    }

    interface Anything {}

    static final Order ORDER = new Order();

    static int byClass(int x, Order order) {
        return Bench.work(x);
    }

    static int byInterface(int x, Anything order) {
        return Bench.work(x);
    }

    static int plain(int x) {
        return Bench.work(x);
    }

    static int handInt(int x) {
        IntEvent e = new IntEvent();
        e.begin();
        int y = Bench.work(x);
        e.value = x;
        e.commit();
        return y;
    }

    static int handText(int x, String text) {
        TextEvent e = new TextEvent();
        e.begin();
        int y = Bench.work(x);
        e.value = text;
        e.commit();
        return y;
    }

    static int batch(String variant, int x) {
        switch (variant) {
        case "int":
            for (int i = 0; i < BATCH; i++)
                x = withInt(x);
            return x;
        case "text":
            for (int i = 0; i < BATCH; i++)
                x = withText(x, TEXT);
            return x;
        case "class":
            for (int i = 0; i < BATCH; i++)
                x = byClass(x, ORDER);
            return x;
        case "interface":
            for (int i = 0; i < BATCH; i++)
                x = byInterface(x, ORDER);
            return x;
        case "hand-int":
            for (int i = 0; i < BATCH; i++)
                x = handInt(x);
            return x;
        case "hand-text":
            for (int i = 0; i < BATCH; i++)
                x = handText(x, TEXT);
            return x;
        default:
            for (int i = 0; i < BATCH; i++)
                x = plain(x);
            return x;
        }
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        int x = 1;
        for (String line; (line = in.readLine()) != null;) {
            String[] word = line.split(" ");
            double[] samples = new double[100_000];
            int n = 0;
            long end = System.nanoTime() + Long.parseLong(word[1]) * 1_000_000;
            for (long now = System.nanoTime(), next; now < end && n < samples.length; now = next) {
                x = batch(word[0], x);
                next = System.nanoTime();
                samples[n++] = (next - now) / (double) BATCH;
            }
            Arrays.sort(samples, 0, n);
            System.out.println(samples[n / 4] + " " + x);
        }
    }
}
