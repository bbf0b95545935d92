// SPDX-License-Identifier: BSD-2-Clause
package live;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;

/**
 * Two of the programs of scripts/bench-http. "serve THREADS": an HTTP service that prints its port and runs until its
 * input ends. "load PORT CONNECTIONS": one thread sends requests over connections that stay open. It reads lines
 * "measure MS RATE PID..." and sends RATE requests a second from then on, evenly, or without pause if RATE is 0. It
 * answers with the number of responses per second in the next MS ms, the us that half of them, 99 and 99.9 percent took
 * at most, and the ns of CPU per response that each of these processes took. The time of a response begins when its
 * request was due, also if all connections were in use then.
 */
public class BenchHttp {
    static final LongAdder answers = new LongAdder();
    static volatile int rate; /* wanted; `paced`, `begun` and `sent` belong to the thread that sends */
    static volatile long timed; /* responses before those in `times` */
    private static int paced;
    private static long begun, sent;
    private static final long[] times = new long[1 << 20]; /* of the responses, in ns; the first ones fill it */

    /** The work of a request: some hashing, about 20 us. */
    static byte[] answer(String path) {
        int x = path.hashCode() | 1;
        for (int i = 0; i < 8000; i++) {
            x ^= x << 13;
            x ^= x >>> 17;
            x ^= x << 5;
        }
        return Integer.toString(x).getBytes(StandardCharsets.ISO_8859_1);
    }

    static void handle(HttpExchange exchange) throws IOException {
        byte[] body = answer(exchange.getRequestURI().getPath());
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    static void serve(int threads) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
        server.createContext("/", BenchHttp::handle);
        server.setExecutor(Executors.newFixedThreadPool(threads));
        server.start();
        System.out.println(server.getAddress().getPort());
        while (System.in.read() >= 0)
            continue;
        System.exit(0);
    }

    /** One of the connections that the load thread serves in turn. */
    static final class Connection {
        private static final byte[] REQUEST = "GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1);
        private final SocketChannel channel;
        long due; /* System.nanoTime() */
        private final ByteBuffer request = ByteBuffer.allocateDirect(REQUEST.length), answer = ByteBuffer.allocateDirect(4096);

        /** It has no request under way. */
        Connection(int port, Selector selector) throws IOException {
            channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ, this);
            request.put(REQUEST);
        }

        void ask() throws IOException {
            request.flip();
            while (request.hasRemaining())
                channel.write(request);
        }

        /** The length of the whole response according to its header, or -1 if the header is incomplete. */
        private int answerLength() {
            byte[] bytes = new byte[answer.position()];
            answer.duplicate().flip().get(bytes);
            String text = new String(bytes, StandardCharsets.ISO_8859_1).toLowerCase();
            int end = text.indexOf("\r\n\r\n"), at = text.indexOf("content-length:");
            if (end < 0)
                return -1;
            return end + 4 + Integer.parseInt(text.substring(at + 15, text.indexOf('\r', at)).trim());
        }

        /** True if a response is complete. */
        boolean poll() throws IOException {
            if (channel.read(answer) < 0)
                throw new IOException("the service is gone");
            if (answer.position() != answerLength())
                return false;
            answer.clear();
            return true;
        }
    }

    /**
     * The number of requests that should have been sent at the present rate, less those that have been. They are due at
     * each millisecond, so that responses, which come sooner or later, do not change how many are sent together.
     */
    private static long owed() {
        long now = System.nanoTime(), due;
        if (rate != paced) {
            paced = rate;
            begun = now;
            sent = 0;
        }
        due = (long) ((now - begun) / 1_000_000 * 1e-3 * paced) - sent;
        return paced == 0 ? Long.MAX_VALUE : due;
    }

    static void ask(Selector selector, ArrayDeque<Connection> idle) {
        try {
            for (;;) {
                for (long n = owed(); n > 0 && !idle.isEmpty(); n--, sent++) {
                    Connection c = idle.poll();
                    c.due = paced == 0 ? System.nanoTime() : begun + (long) (sent * 1e9 / paced);
                    c.ask();
                }
                if (paced == 0)
                    selector.select(100);
                else
                    selector.select(1);
                for (SelectionKey key : selector.selectedKeys()) {
                    Connection c = (Connection) key.attachment();
                    if (!c.poll())
                        continue;
                    times[(int) Math.min(answers.sum() - timed, times.length - 1)] = System.nanoTime() - c.due;
                    answers.increment();
                    idle.add(c);
                }
                selector.selectedKeys().clear();
            }
        } catch (IOException e) {
            System.err.println(e);
            System.exit(1);
        }
    }

    /** What all threads that live in these processes have run so far; the fourth word is the first process. */
    private static long[] cpuNanos(String[] words) throws IOException {
        long[] sums = new long[words.length];
        for (int i = 3; i < words.length; i++) {
            for (File task : new File("/proc/" + words[i] + "/task").listFiles()) {
                try {
                    sums[i] += Long.parseLong(Files.readString(new File(task, "schedstat").toPath()).split(" ")[0]);
                } catch (NoSuchFileException e) {
                    continue; /* it has just ended */
                }
            }
        }
        return sums;
    }

    /** " P50 P99 P99.9" of the first responses, in us. */
    private static String percentiles(long responses) {
        long[] sorted = Arrays.copyOf(times, (int) Math.min(responses, times.length - 1));
        StringBuilder text = new StringBuilder();
        Arrays.sort(sorted);
        for (double part : new double[] {0.5, 0.99, 0.999})
            text.append(' ').append(sorted.length == 0 ? 0 : sorted[(int) (part * sorted.length)] / 1000);
        return text.toString();
    }

    static void load(int port, int connections) throws IOException {
        Selector selector = Selector.open();
        ArrayDeque<Connection> idle = new ArrayDeque<>();
        for (int i = 0; i < connections; i++)
            idle.add(new Connection(port, selector));
        Thread thread = new Thread(() -> ask(selector, idle));
        thread.setDaemon(true);
        thread.start();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            rate = Integer.parseInt(words[2]);
            long[] cpu = cpuNanos(words);
            long before = timed = answers.sum(), start = System.nanoTime();
            Stage.sleep(Integer.parseInt(words[1]));
            long n = answers.sum() - before;
            String answer = n * 1_000_000_000L / (System.nanoTime() - start) + percentiles(n);
            long[] after = cpuNanos(words);
            for (int i = 3; i < words.length; i++)
                answer += " " + (after[i] - cpu[i]) / Math.max(n, 1);
            System.out.println(answer);
        }
    }

    public static void main(String[] args) throws IOException {
        if (args[0].equals("serve"))
            serve(Integer.parseInt(args[1]));
        else
            load(Integer.parseInt(args[1]), Integer.parseInt(args[2]));
    }
}
