// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import javax.jms.Connection;
import javax.jms.JMSException;
import javax.jms.Message;
import javax.jms.MessageListener;
import javax.jms.MessageProducer;
import javax.jms.Queue;
import javax.jms.Session;
import org.apache.activemq.ActiveMQConnectionFactory;

/** QueueMessages DIR: messages to two queues of a broker in this JVM; `log` has the queues, `taken` those that a listener has got. */
public class QueueMessages {
    static final int COUNT = 40;
    static final List<String> taken = new ArrayList<>();
    static final CountDownLatch left = new CountDownLatch(COUNT);

    public static class Taker implements MessageListener {
        @Override
        public void onMessage(Message message) {
            try {
                taken.add(((Queue)message.getJMSDestination()).getQueueName());
            } catch (JMSException e) {
                throw new IllegalStateException(e);
            }
            left.countDown();
        }
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        List<String> sent = new ArrayList<>();
        Connection connection = new ActiveMQConnectionFactory("vm://shop?broker.persistent=false&broker.useJmx=false").createConnection();
        connection.start();
        Session in = connection.createSession(false, Session.AUTO_ACKNOWLEDGE), out = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        Queue[] queues = {out.createQueue("orders"), out.createQueue("prices")};
        for (Queue queue : queues)
            in.createConsumer(queue).setMessageListener(new Taker());
        MessageProducer producer = out.createProducer(null);
        stage.awaitGo();
        for (int i = 0; i < COUNT; i++) {
            Queue queue = queues[i % 3 == 0 ? 1 : 0];
            producer.send(queue, out.createTextMessage("message " + i));
            sent.add(queue.getQueueName());
        }
        left.await();
        connection.close();
        stage.write("log", String.join("\n", sent) + "\n");
        stage.write("taken", String.join("\n", taken) + "\n");
        stage.finish();
        Runtime.getRuntime().halt(0);
    }
}
