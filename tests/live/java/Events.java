// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import jdk.jfr.BooleanFlag;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Frequency;
import jdk.jfr.Label;
import jdk.jfr.MemoryAddress;
import jdk.jfr.Name;
import jdk.jfr.Percentage;
import jdk.jfr.Timespan;
import jdk.jfr.Timestamp;
import jdk.jfr.Unsigned;

/**
 * Events FILE SECONDS: make the JVM's own recorder write many types of events for SECONDS, and write events with all
 * kinds of fields.
 */
public class Events {
    @Name("live.Kinds")
    @Label("All \"kinds\" of fields")
    static class Kinds extends Event {
        boolean yes = true;
        byte octet = -1;
        @Unsigned byte unsignedOctet = -1;
        char letter;
        short small = Short.MIN_VALUE;
        @Unsigned short unsignedSmall = -1;
        int number = Integer.MIN_VALUE;
        @Unsigned int unsignedNumber = -1;
        long large = Long.MIN_VALUE;
        @Unsigned long unsignedLarge = -1;
        float real;
        double precise;
        String text;
        Thread thread = Thread.currentThread();
        Class<?> type;
        @Timespan long nanos;
        @Timespan(Timespan.TICKS) long ticks;
        @Timespan(Timespan.MICROSECONDS) long micros;
        @Timespan(Timespan.MILLISECONDS) int millis;
        @Timespan(Timespan.SECONDS) int seconds;
        @Timestamp long moment;
        @Timestamp(Timestamp.TICKS) long tick;
        @DataAmount long bytes;
        @DataAmount(DataAmount.BITS) long bits;
        @DataAmount @Frequency long bytesPerSecond;
        @DataAmount(DataAmount.BITS) @Frequency long bitsPerSecond;
        @Percentage float part;
        @Percentage double precisePart;
        @MemoryAddress long address;
        @Frequency double rate;
        @BooleanFlag boolean flag;
    }

    static final Class<?>[] TYPES = {int[][].class, String[].class, Events.class, null, Kinds.class, Runnable.class};
    static final String[] TEXTS = {null, "", "plain", "quote \" slash / backslash \\ tab\t", "two\nlines", "\u00e4\u20ac\ud83d\ude00", "\u0001\u007f"};
    static final List<byte[]> kept = new ArrayList<>();

    static long spread(int i) { // all magnitudes, both signs, and special values
        if (i % 61 == 0)
            return i % 2 == 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
        long n = (i * 0x9e3779b97f4a7c15L) >>> (i % 64);
        return i % 3 == 0 ? -n : n;
    }

    static void kinds(int i) {
        double d = Double.longBitsToDouble(spread(i) * 0x9e3779b97f4a7c15L);
        Kinds k = new Kinds();
        k.begin();
        k.letter = (char) (i * 7919 % 0xd800);
        k.real = i % 2 == 0 ? (float) d : spread(i) / 1000f;
        k.precise = i % 2 == 0 ? d : spread(i) / 1e6;
        k.text = TEXTS[i % TEXTS.length];
        k.type = TYPES[i % TYPES.length];
        k.nanos = k.ticks = k.micros = spread(i) % Long.MAX_VALUE;
        k.millis = k.seconds = (int) spread(i);
        k.moment = spread(i) / 1000;
        k.tick = System.nanoTime() + i;
        k.bytes = k.bits = k.bytesPerSecond = k.bitsPerSecond = k.address = spread(i);
        k.part = i % 7 == 0 ? Float.NaN : (i % 1001) / 1000f;
        k.precisePart = (i % 100003) / 100000.0;
        k.rate = spread(i) / 16.0;
        k.commit();
    }

    static int deep(int n) {
        return n == 0 ? Thread.currentThread().hashCode() : deep(n - 1) + 1;
    }

    static void files() throws Exception {
        try (FileOutputStream out = new FileOutputStream("/dev/null"); FileInputStream in = new FileInputStream("/etc/hostname")) {
            out.write(in.readAllBytes());
        }
    }

    static void sockets() throws Exception {
        try (ServerSocket server = new ServerSocket(0); Socket client = new Socket("127.0.0.1", server.getLocalPort()); Socket peer = server.accept()) {
            client.getOutputStream().write(new byte[100]);
            Thread.sleep(25);
            peer.getInputStream().read();
        }
    }

    static void locks() throws Exception {
        Object lock = new Object();
        Thread waiter = new Thread(() -> {
            synchronized (lock) {
                LockSupport.parkNanos(30_000_000);
            }
        }, "w\u00e4iter \"1\"");
        synchronized (lock) {
            waiter.start();
            lock.wait(30);
        }
        waiter.join();
    }

    static void exceptions() {
        try {
            throw new IllegalStateException("it says \"no\"");
        } catch (IllegalStateException expected) {
            kept.add(new byte[100_000]);
        }
        if (kept.size() > 100)
            kept.clear();
    }

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + Long.parseLong(args[1]) * 1_000_000_000L;
        for (int i = 0; i < 300 || System.nanoTime() < end; i++) {
            kinds(i);
            deep(i % 200);
            exceptions();
            if (i % 100 == 0) {
                files();
                sockets();
                locks();
                Runnable r = () -> deep(3);
                r.run();
            }
            Thread.sleep(1);
        }
        System.gc();
    }
}
