// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.IOException;
import java.net.InetSocketAddress;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.AbstractHandler;

/** JettyServer DIR. */
public class JettyServer {
    static class Shop extends AbstractHandler {
        @Override
        public void handle(String target, Request request, HttpServletRequest q, HttpServletResponse response) throws IOException {
            Requests.note(q.getMethod(), q.getRequestURI() + "?" + q.getQueryString());
            request.setHandled(true);
            response.getWriter().print("ok");
        }
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        Server server = new Server(new InetSocketAddress("127.0.0.1", 0));
        server.setHandler(new Shop());
        server.start();
        stage.awaitGo();
        Requests.send(((ServerConnector)server.getConnectors()[0]).getLocalPort());
        stage.write("log", Requests.log());
        stage.finish();
        Runtime.getRuntime().halt(0);
    }
}
