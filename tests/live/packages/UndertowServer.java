// SPDX-License-Identifier: BSD-2-Clause
package live;

import io.undertow.Undertow;
import io.undertow.server.handlers.accesslog.AccessLogHandler;
import io.undertow.servlet.Servlets;
import io.undertow.servlet.api.DeploymentManager;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;

/** UndertowServer DIR: a servlet in Undertow. Its own log of accesses is `access`. */
public class UndertowServer {
    public static class Shop extends HttpServlet {
        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.setStatus(request.getRequestURI().endsWith("7") ? 404 : 200);
            response.getWriter().print("ok");
        }
    }

    static void append(Path log, String line) {
        try {
            Files.write(log, (line + "\n").getBytes(), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        Path log = Paths.get(args[0], "access");
        DeploymentManager deployment = Servlets.defaultContainer().addDeployment(
            Servlets.deployment().setClassLoader(UndertowServer.class.getClassLoader()).setContextPath("/").setDeploymentName("shop")
                .addServlets(Servlets.servlet("shop", Shop.class).addMapping("/*")));
        deployment.deploy();
        Undertow server = Undertow.builder()
                              .addHttpListener(0, "127.0.0.1")
                              .setHandler(new AccessLogHandler(deployment.start(), line -> append(log, line), "%m %U %s", UndertowServer.class.getClassLoader()))
                              .build();
        server.start();
        stage.awaitGo();
        Requests.sendAll(((InetSocketAddress)server.getListenerInfo().get(0).getAddress()).getPort());
        Requests.awaitLines(log.toString());
        server.stop();
        stage.finish();
        Runtime.getRuntime().halt(0);
    }
}
