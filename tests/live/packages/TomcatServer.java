// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.IOException;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.valves.AccessLogValve;

/** TomcatServer DIR [CLASS ARGUMENT]. Its own log of accesses is `access`. */
public class TomcatServer {
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
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(args[0] + "/tomcat");
        tomcat.setPort(0);
        tomcat.getConnector();
        Context context = tomcat.addContext("", null);
        Tomcat.addServlet(context, "shop", new Shop());
        context.addServletMappingDecoded("/", "shop");
        AccessLogValve access = new AccessLogValve();
        access.setDirectory(args[0]);
        access.setPrefix("access");
        access.setRotatable(false);
        access.setBuffered(false);
        access.setPattern("%m %U %s");
        context.getPipeline().addValve(access);
        tomcat.start();
        stage.awaitGo();
        Requests.send(tomcat.getConnector().getLocalPort());
        Requests.awaitLines(args[0] + "/access");
        tomcat.stop();
        stage.write("log", Requests.log());
        stage.finish();
        Runtime.getRuntime().halt(0);
    }
}
