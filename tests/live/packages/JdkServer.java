// SPDX-License-Identifier: BSD-2-Clause
package live;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;

/** JdkServer DIR [CLASS ARGUMENT]. It writes a log of accesses, `access`, as others do by themselves. */
public class JdkServer {
    static class Shop implements HttpHandler {
        public void handle(HttpExchange exchange) throws IOException {
            Requests.note(exchange.getRequestMethod(), exchange.getRequestURI().toString());
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write(new byte[2]);
            exchange.close();
        }
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        Requests.prepare(args);
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", new Shop());
        server.start();
        stage.awaitGo();
        Requests.send(server.getAddress().getPort());
        stage.write("log", Requests.log());
        stage.write("access", Requests.log().replaceAll("[?].*", " 200"));
        stage.finish();
        Runtime.getRuntime().halt(0);
    }
}
