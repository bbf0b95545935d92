// SPDX-License-Identifier: BSD-2-Clause
package live;

import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.io.entity.EntityUtils;

/** Asks for a URL by Apache HttpClient 5. */
public class ApacheClient5 implements Fronted.Client
{
	final CloseableHttpClient client = HttpClients.createDefault();

	@Override public int get(String url) throws Exception
	{
		return client.execute(new HttpGet(url), response -> {
			EntityUtils.consume(response.getEntity());
			return response.getCode();
		});
	}
}
