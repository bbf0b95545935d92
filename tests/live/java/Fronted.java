// SPDX-License-Identifier: BSD-2-Clause
package live;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URL;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Fronted DIR REQUESTS [JDBC-URL]: a web service that asks a backend, of a few lines of its own, and a database if there is one.
 * `log` has a line for each request: its URL, the backend's, its status, and how many microseconds its handler took
 * until it answered.
 */
public class Fronted {
    /** Asks for a URL and returns the status. */
    interface Client {
        int get(String url) throws Exception;
    }

    static class Old implements Client {
        @Override
        public int get(String url) throws Exception {
            HttpURLConnection connection = (HttpURLConnection) new URL(url).openConnection();
            int status = connection.getResponseCode();
            try (InputStream in = connection.getInputStream()) {
                while (in.read() >= 0) {
                }
            }
            return status;
        }
    }

    static final List<String> log = new ArrayList<>();
    static Client client = new Old();
    static Callable<?> database = () -> null;
    static int backendPort;

    static int backend(String path) throws Exception {
        return client.get("http://127.0.0.1:" + backendPort + path + "?token=abc");
    }

    static void handle(HttpExchange exchange) throws Exception {
        long begin = System.nanoTime();
        String[] path = exchange.getRequestURI().getPath().split("/");
        int status = path[2].equals("none") ? 404 : 200;
        String stock = "/stock/" + path[3] + (path[2].equals("slow") ? "/slow" : "");
        backend(stock);
        database.call();
        long us = (System.nanoTime() - begin) / 1000;
        synchronized (log) {
            log.add(exchange.getRequestURI().getPath() + " " + stock + " " + status + " " + us);
        }
        exchange.sendResponseHeaders(status, 2);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(new byte[] {'o', 'k'});
        }
    }

    /** Reads the head of a request. */
    static String head(BufferedReader in) throws Exception {
        String first = in.readLine();
        for (String line = first; line != null && !line.isEmpty();)
            line = in.readLine();
        return first;
    }

    static void answer(Socket socket) {
        try (Socket s = socket; BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream()))) {
            if (head(in).contains("/slow"))
                Thread.sleep(80);
            s.getOutputStream().write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok".getBytes());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static void accept(ServerSocket server, ExecutorService threads) {
        try {
            for (;;) {
                Socket s = server.accept();
                threads.execute(() -> answer(s));
            }
        } catch (Exception e) {
            e.printStackTrace();
        }
    }

    static ServerSocket loopback() throws Exception {
        return new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
    }

    static void request(int port, String path) throws Exception {
        try (Socket s = new Socket("127.0.0.1", port)) {
            s.getOutputStream().write(("GET " + path + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").getBytes());
            BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream()));
            while (in.readLine() != null) {
            }
        }
    }

    static Thread daemon(Runnable r) {
        Thread t = new Thread(r);
        t.setDaemon(true);
        return t;
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int requests = Integer.parseInt(args[1]);
        ExecutorService threads = Executors.newCachedThreadPool(Fronted::daemon);
        try {
            client = (Client) Class.forName(System.getProperty("client", "live.FrontedClient")).getDeclaredConstructor().newInstance();
        } catch (ClassNotFoundException | UnsupportedClassVersionError e) {
            stage.write("client", "HttpURLConnection\n");
        }
        ServerSocket back = loopback();
        backendPort = back.getLocalPort();
        threads.execute(() -> accept(back, threads));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", exchange -> {
            try {
                handle(exchange);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        server.setExecutor(threads);
        server.start();
        if (args.length > 2)
            database = (Callable<?>) Class.forName("live.FrontedDatabase").getDeclaredConstructor(String.class).newInstance(args[2]);
        request(server.getAddress().getPort(), "/order/fast/0");
        log.clear();
        stage.awaitGo();
        for (int i = 0; i < requests; i++)
            request(server.getAddress().getPort(), "/order/" + (i % 3 == 0 ? "slow" : i % 3 == 1 ? "fast" : "none") + "/" + i + "?user=me");
        stage.write("log", String.join("\n", log) + "\n");
        stage.finish();
        System.exit(0);
    }
}
