// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.IOException;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jetty.server.CustomRequestLog;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;

/** JettyServer DIR [CLASS ARGUMENT]. Its own log of accesses is `access`. */
public class JettyServer {
    public static class Shop extends HttpServlet {
        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
            Requests.note(request.getMethod(), request.getRequestURI());
            response.getWriter().print("ok");
        }
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        Requests.prepare(args);
        Server server = new Server(0);
        ServletContextHandler context = new ServletContextHandler();
        context.addServlet(new ServletHolder(new Shop()), "/");
        server.setHandler(context);
        server.setRequestLog(new CustomRequestLog(args[0] + "/access", "%m %U %s"));
        server.start();
        stage.awaitGo();
        Requests.send(((ServerConnector)server.getConnectors()[0]).getLocalPort());
        Requests.awaitLines(args[0] + "/access");
        server.stop();
        stage.write("log", Requests.log());
        stage.finish();
        Runtime.getRuntime().halt(0);
    }
}
