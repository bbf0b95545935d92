// SPDX-License-Identifier: BSD-2-Clause
package live;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
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
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;

/**
 * The two programs of scripts/bench-http. "serve THREADS": an HTTP service that prints its port and runs until its
 * input ends. "load PORT CONNECTIONS": one thread sends requests without pause over connections that stay open; it
 * reads lines "measure MS" and answers with the number of responses in MS ms.
 */
public class BenchHttp {
    static final LongAdder answers = new LongAdder();

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
        private final ByteBuffer request = ByteBuffer.allocateDirect(REQUEST.length), answer = ByteBuffer.allocateDirect(4096);

        Connection(int port, Selector selector) throws IOException {
            channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ, this);
            request.put(REQUEST);
            ask();
        }

        private void ask() throws IOException {
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

        /** True if a response is complete; the next request has been sent then. */
        boolean poll() throws IOException {
            if (channel.read(answer) < 0)
                throw new IOException("the service is gone");
            if (answer.position() != answerLength())
                return false;
            answer.clear();
            ask();
            return true;
        }
    }

    static void ask(Selector selector) {
        try {
            for (;;) {
                selector.select();
                for (SelectionKey key : selector.selectedKeys())
                    if (((Connection) key.attachment()).poll())
                        answers.increment();
                selector.selectedKeys().clear();
            }
        } catch (IOException e) {
            System.err.println(e);
            System.exit(1);
        }
    }

    static void load(int port, int connections) throws IOException {
        Selector selector = Selector.open();
        for (int i = 0; i < connections; i++)
            new Connection(port, selector);
        Thread thread = new Thread(() -> ask(selector));
        thread.setDaemon(true);
        thread.start();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            long before = answers.sum(), start = System.nanoTime();
            Stage.sleep(Integer.parseInt(line.split(" ")[1]));
            System.out.println((answers.sum() - before) * 1_000_000_000L / (System.nanoTime() - start));
        }
    }

    public static void main(String[] args) throws IOException {
        if (args[0].equals("serve"))
            serve(Integer.parseInt(args[1]));
        else
            load(Integer.parseInt(args[1]), Integer.parseInt(args[2]));
    }
}
