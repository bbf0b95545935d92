// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The program of docs/on-call.md.
 *
 * Store run READY DISK: the troubles of an on-call engineer, each in a thread of its own: a slow answer over a socket, a
 * lock that is held too long, a full disk queue (in the directory DISK), collections, deadlocks, and many exceptions.
 * Makes the file READY.
 *
 * Store sell VERSION: sells a few things and ends. Version 2 asks for the price of each piece.
 */
public class Store {
    static class Catalog {
        static final int ITEMS = load();

        private static int load() {
            Clock.pause(150);
            return 1000;
        }
    }

    /** Not traced: the filter live.Store is about one class. */
    static class Clock {
        static void pause(long ms) {
            try {
                Thread.sleep(ms);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    interface Work {
        void run(int n) throws Exception;
    }

    private static final Object STOCK = new Object();
    private static final int DEADLOCKS = 40;
    private static final Object[] ACCOUNTS = new Object[DEADLOCKS], LEDGERS = new Object[DEADLOCKS];
    private static final byte[] ANSWER = {1};
    private static Socket prices;
    private static FileChannel journal;
    private static volatile int paying = -1, claiming = -1;
    static volatile int sink;

    /** An order, of which every tenth waits for its price. */
    static void placeOrder(int n) throws IOException {
        sink += priceOf(n);
    }

    static int priceOf(int n) throws IOException {
        prices.getOutputStream().write(n % 10);
        return prices.getInputStream().read();
    }

    static void answerPrices(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        OutputStream out = socket.getOutputStream();
        for (int n = in.read(); n >= 0; n = in.read()) {
            Clock.pause(n == 0 ? 60 : 1);
            out.write(ANSWER);
        }
    }

    static void reserve(int n) {
        synchronized (STOCK) {
            sink += n;
        }
    }

    static void report() {
        synchronized (STOCK) {
            Clock.pause(40);
        }
    }

    /** Save entries, one at a time. However fast the disk is, this takes longer than the recording's threshold. */
    static void saveJournal(int n) throws IOException {
        long begin = System.nanoTime();
        for (int i = 0; i == 0 || System.nanoTime() - begin < 15_000_000; i++) {
            journal.write(ByteBuffer.allocate(4096), (n + i) % 64 * 4096L);
            journal.force(false);
        }
    }

    static void renderPage(int n) {
        for (int i = 0; i < 25; i++) {
            Clock.pause(1);
            sink += n;
        }
    }

    static void pay(int n) {
        synchronized (ACCOUNTS[n]) {
            paying = n;
            while (claiming < n)
                Clock.pause(1);
            synchronized (LEDGERS[n]) {
                sink += n;
            }
        }
    }

    static void claim(int n) {
        synchronized (LEDGERS[n]) {
            claiming = n;
            synchronized (ACCOUNTS[n]) {
                sink -= n;
            }
        }
    }

    static int parse(String quantity) {
        return Integer.parseInt(quantity);
    }

    static void readLine(int n) {
        try {
            sink += parse(n + " pcs");
        } catch (NumberFormatException e) {
            sink--;
        }
    }

    private static FileChannel open(String disk, String name) throws IOException {
        return FileChannel.open(Path.of(disk, name), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    /** Write with as little pause as a backup does. */
    private static void backUp(FileChannel file, int n) throws IOException {
        file.write(ByteBuffer.allocate(1 << 17), n % 16 << 17);
        file.force(true);
    }

    /** Call the method again and again in a thread of this name. */
    private static void start(String name, long pauseMs, Work work) {
        Thread thread = new Thread(() -> {
            try {
                for (int n = 0;; n++) {
                    work.run(n);
                    Clock.pause(pauseMs);
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Two threads that wait for each other forever. */
    private static void deadlock(int n) {
        ACCOUNTS[n] = new Object();
        LEDGERS[n] = new Object();
        start("pay-" + n, 0, i -> pay(n));
        while (paying < n)
            Clock.pause(1);
        start("claim-" + n, 0, i -> claim(n));
    }

    private static byte[][] filled(int pieces) {
        byte[][] all = new byte[pieces][];
        for (int i = 0; i < pieces; i++)
            all[i] = new byte[16];
        return all;
    }

    private static void run(String ready, String disk) throws Exception {
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        prices = new Socket(server.getInetAddress(), server.getLocalPort());
        prices.setTcpNoDelay(true);
        Socket accepted = server.accept();
        accepted.setTcpNoDelay(true);
        journal = open(disk, "journal");
        byte[][] cache = filled(600_000);
        start("prices", 0, n -> answerPrices(accepted));
        start("orders", 2, Store::placeOrder);
        start("report", 20, n -> report());
        start("stock", 5, Store::reserve);
        start("journal", 20, Store::saveJournal);
        for (int i = 1; i <= 3; i++) {
            FileChannel file = open(disk, "backup-" + i);
            start("backup-" + i, 0, n -> backUp(file, n));
        }
        start("pages", 0, Store::renderPage);
        start("cache", 800, n -> System.gc());
        start("import", 2, Store::readLine);
        Files.createFile(Path.of(ready));
        for (int i = 0; cache != null; i++) {
            if (i < DEADLOCKS)
                deadlock(i);
            Clock.pause(1500);
        }
    }

    private static int price(int item) {
        Clock.pause(1);
        return item % Catalog.ITEMS;
    }

    private static int sell(int item, int pieces, boolean eachPiece) {
        int sum = 0;
        for (int i = 0; i < (eachPiece ? pieces : 1); i++)
            sum += price(item);
        return eachPiece ? sum : sum * pieces;
    }

    public static void main(String[] args) throws Exception {
        if (args[0].equals("run")) {
            run(args[1], args[2]);
            return;
        }
        for (int i = 0; i < 5; i++)
            sink += sell(i, 40, args[1].equals("2"));
    }
}
