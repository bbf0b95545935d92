// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * The program of scripts/bench-usage. For each line "inside|outside call|fault MS" it makes system calls or page faults
 * for about MS milliseconds, in inside*() or not, and prints the ns that each took. FILE is a file in memory.
 */
public class BenchUsage {
    private static final int CALLS = 100, PAGES = 2000, PAGE = 4096;
    private static InputStream zero;
    static volatile long sink;

    static void insideCall() throws IOException {
        outsideCall();
    }

    static void outsideCall() throws IOException {
        for (int i = 0; i < CALLS; i++)
            sink += zero.read();
    }

    static void insideFault(ByteBuffer b) {
        outsideFault(b);
    }

    static void outsideFault(ByteBuffer b) {
        for (int i = 0; i < PAGES; i++)
            b.put(i * PAGE, (byte)1);
    }

    /** Touch pages that are not mapped yet; returns ns. */
    private static long fault(String name, boolean inside) throws IOException {
        try (RandomAccessFile f = new RandomAccessFile(name, "rw")) {
            f.setLength(0);
            ByteBuffer b = f.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, PAGES * PAGE);
            long begin = System.nanoTime();
            if (inside)
                insideFault(b);
            else
                outsideFault(b);
            return System.nanoTime() - begin;
        }
    }

    private static long call(boolean inside) throws IOException {
        long begin = System.nanoTime();
        if (inside)
            insideCall();
        else
            outsideCall();
        return System.nanoTime() - begin;
    }

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        zero = new FileInputStream("/dev/zero");
        for (String line; (line = in.readLine()) != null;) {
            String[] words = line.split(" ");
            boolean inside = words[0].equals("inside"), calls = words[1].equals("call");
            long end = System.nanoTime() + Long.parseLong(words[2]) * 1_000_000, took = 0, n = 0;
            while (System.nanoTime() < end) {
                took += calls ? call(inside) : fault(args[0], inside);
                n += calls ? CALLS : PAGES;
            }
            System.out.println(took / n);
            System.gc(); // unmaps
        }
    }
}
