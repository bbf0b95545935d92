// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;

/**
 * Cycles DIR: call work() in bursts until `quit`. As its own Java agent it is the control of a test of repeated
 * attaching: when a file `retransform-N` appears, it changes its class and back N times with java.lang.instrument, and
 * then makes `retransformed-N`.
 */
public class Cycles {
    private static volatile Instrumentation instrumentation;

    public static void premain(String options, Instrumentation given) {
        instrumentation = given;
    }

    static int work(int x) {
        x ^= x << 13;
        x ^= x >>> 17;
        x ^= x << 5;
        return x;
    }

    /** The class file with one additional constant (JVMS 4.4). */
    private static byte[] withConstant(byte[] bytes, String constant) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        in.skipBytes(8);
        int count = in.readUnsignedShort();
        for (int i = 1; i < count; i++) {
            int tag = in.readUnsignedByte();
            in.skipBytes(tag == 1 ? in.readUnsignedShort() : tag == 7 || tag == 8 || tag == 16 || tag == 19 || tag == 20 ? 2
                : tag == 15 ? 3 : tag == 5 || tag == 6 ? 8 : 4);
            i += tag == 5 || tag == 6 ? 1 : 0;
        }
        int end = bytes.length - in.available();
        DataOutputStream out = new DataOutputStream(text);
        out.write(bytes, 0, 8);
        out.writeShort(count + 1);
        out.write(bytes, 10, end - 10);
        out.writeByte(1);
        out.writeUTF(constant);
        out.write(bytes, end, bytes.length - end);
        return text.toByteArray();
    }

    private static void retransform(int n) throws Exception {
        for (int i = 0; i < n; i++) {
            String constant = "cycle " + i;
            ClassFileTransformer change = new ClassFileTransformer() {
                @Override public byte[] transform(ClassLoader loader, String name, Class<?> of, ProtectionDomain domain, byte[] bytes) {
                    try {
                        return of == Cycles.class ? withConstant(bytes, constant) : null;
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                }
            };
            instrumentation.addTransformer(change, true);
            instrumentation.retransformClasses(Cycles.class);
            Stage.sleep(20);
            instrumentation.removeTransformer(change);
            instrumentation.retransformClasses(Cycles.class);
        }
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        Thread worker = new Thread(() -> {
            int x = 1;
            while (!stage.has("quit")) {
                for (int i = 0; i < 20_000; i++)
                    x = work(x);
                Stage.sleep(2);
            }
            System.out.println("cycles: " + (x != 0));
        }, "worker");
        worker.start();
        stage.mark("ready");
        while (!stage.has("quit")) {
            String[] asked = stage.file(".").toFile().list((directory, name) -> name.startsWith("retransform-"));
            for (String name : asked) {
                stage.file(name).toFile().delete();
                retransform(Integer.parseInt(name.substring(12)));
                stage.mark("retransformed-" + name.substring(12));
            }
            Stage.sleep(5);
        }
        worker.join();
    }
}
