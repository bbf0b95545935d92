// SPDX-License-Identifier: BSD-2-Clause
package live;

import org.apache.http.client.methods.CloseableHttpResponse;
import org.apache.http.client.methods.HttpGet;
import org.apache.http.impl.client.CloseableHttpClient;
import org.apache.http.impl.client.HttpClients;
import org.apache.http.util.EntityUtils;

/** Asks for a URL by Apache HttpClient 4. */
public class ApacheClient implements Fronted.Client {
    final CloseableHttpClient client = HttpClients.createDefault();

    @Override
    public int get(String url) throws Exception {
        try (CloseableHttpResponse response = client.execute(new HttpGet(url))) {
            EntityUtils.consume(response.getEntity());
            return response.getStatusLine().getStatusCode();
        }
    }
}
