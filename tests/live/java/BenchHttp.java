// SPDX-License-Identifier: BSD-2-Clause
package live;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;

/**
 * The two programs of scripts/bench-kernel. "serve THREADS": an HTTP service that prints its port and lasts until its input
 * ends. "load PORT CONNECTIONS": asks it without rest over connections that stay open; reads "measure MS" lines and answers
 * with the number of answers that came in so many ms.
 */
public class BenchHttp {
    static final LongAdder answers = new LongAdder();

    /** What a request costs: some hashing, about 20 us. */
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

    /** Reads one answer with a Content-length. */
    static void read(InputStream in) throws IOException {
        int length = 0;
        StringBuilder line = new StringBuilder();
        for (int c = in.read();; c = in.read()) {
            if (c < 0)
                throw new IOException("the service is gone");
            if (c == '\n') {
                String header = line.toString().trim().toLowerCase();
                line.setLength(0);
                if (header.isEmpty())
                    break;
                if (header.startsWith("content-length:"))
                    length = Integer.parseInt(header.substring(15).trim());
            } else {
                line.append((char) c);
            }
        }
        for (int i = 0; i < length; i++)
            in.read();
    }

    static void ask(int port) {
        byte[] request = "GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            OutputStream out = socket.getOutputStream();
            InputStream in = new java.io.BufferedInputStream(socket.getInputStream());
            for (;;) {
                out.write(request);
                read(in);
                answers.increment();
            }
        } catch (IOException e) {
            System.err.println(e);
            System.exit(1);
        }
    }

    static void load(int port, int connections) throws IOException {
        for (int i = 0; i < connections; i++) {
            Thread thread = new Thread(() -> ask(port));
            thread.setDaemon(true);
            thread.start();
        }
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
