// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Load PORT CONNECTIONS REQUESTS [PAGE]: send REQUESTS requests on each connection, one after the other, none twice. Of
 * 100 requests, 5 ask for a report and 1 for a broken page; with PAGE, all ask for that. Prints "requests N failed N reports N longest-ms N".
 */
public class Load {
    static final AtomicLong requests = new AtomicLong(), failed = new AtomicLong(), reports = new AtomicLong();
    static final AtomicLong longest = new AtomicLong();

    private static String only;

    static String page(int i) {
        return only != null ? only : i % 100 == 99 ? "broken" : i % 20 == 7 ? "report" : "order";
    }

    /** False if the server closed the connection without an answer. */
    static boolean get(Socket socket, InputStream in, String path) throws IOException {
        socket.getOutputStream().write(("GET /" + path + " HTTP/1.1\r\nHost: shop\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        int length = -1;
        for (String line = line(in); line != null; line = line(in)) {
            if (line.toLowerCase().startsWith("content-length:"))
                length = Integer.parseInt(line.substring(15).trim());
            if (line.isEmpty())
                return in.readNBytes(length).length == length;
        }
        return false;
    }

    static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c >= 0; c = in.read()) {
            if (c == '\n')
                return line.toString().trim();
            line.append((char) c);
        }
        return null;
    }

    static void connection(int port, int n) throws IOException {
        int i = 0;
        while (i < n) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                socket.setTcpNoDelay(true);
                InputStream in = new BufferedInputStream(socket.getInputStream());
                boolean alive = true;
                while (alive && i < n) {
                    String page = page(i);
                    long start = System.nanoTime();
                    alive = get(socket, in, page + "/" + i++);
                    longest.accumulateAndGet(System.nanoTime() - start, Math::max);
                    requests.incrementAndGet();
                    (alive ? page.equals("report") ? reports : new AtomicLong() : failed).incrementAndGet();
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[0]), connections = Integer.parseInt(args[1]), n = Integer.parseInt(args[2]);
        only = args.length > 3 ? args[3] : null;
        Thread[] all = new Thread[connections];
        for (int i = 0; i < connections; i++) {
            all[i] = new Thread(() -> {
                try {
                    connection(port, n);
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            all[i].start();
        }
        for (Thread thread : all)
            thread.join();
        System.out.println("requests " + requests + " failed " + failed + " reports " + reports + " longest-ms "
                + (longest.get() + 999_999) / 1_000_000);
    }
}
