// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;

/**
 * EndlessHidden DIR LETTERS CALLS: each call of work() comes from a new hidden class, from a method whose name ends
 * with LETTERS letters.
 */
public class EndlessHidden {
    static volatile long calls;

    public static void work() {
        calls++;
    }

    /** public class live/Made { public static void NAME() { live.EndlessHidden.work(); } } */
    static byte[] made(String name) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(0xCAFEBABE);
        out.writeInt(52);
        out.writeShort(13);
        String[] texts = {"live/Made", "java/lang/Object", "live/EndlessHidden", name, "()V", "Code", "work"};
        for (String text : texts) { // 1 to 7
            out.writeByte(1);
            out.writeUTF(text);
        }
        for (int i = 1; i <= 3; i++) { // 8 to 10: the classes
            out.writeByte(7);
            out.writeShort(i);
        }
        out.writeByte(12); // 11: work()V
        out.writeShort(7);
        out.writeShort(5);
        out.writeByte(10); // 12: live/EndlessHidden.work()V
        out.writeShort(10);
        out.writeShort(11);
        for (int word : new int[] {0x21, 8, 9, 0, 0, 1, 9, 4, 5, 1, 6})
            out.writeShort(word);
        out.writeInt(16);
        out.writeShort(0);
        out.writeShort(0);
        out.writeInt(4);
        out.writeByte(0xb8); // invokestatic
        out.writeShort(12);
        out.writeByte(0xb1); // return
        out.writeInt(0);
        out.writeShort(0);
        return bytes.toByteArray();
    }

    private static void callFromAnother(String name) throws ReflectiveOperationException, IOException {
        Class<?> c = MethodHandles.lookup().defineHiddenClass(made(name), true).lookupClass();
        Method method = c.getMethod(name);
        method.invoke(null);
    }

    public static void main(String[] args) throws ReflectiveOperationException, IOException, InterruptedException {
        Stage stage = new Stage(args[0]);
        StringBuilder letters = new StringBuilder();
        while (letters.length() < Integer.parseInt(args[1]))
            letters.append('x');
        stage.awaitGo();
        int calls = Integer.parseInt(args[2]);
        for (int i = 0; i < calls; i++) {
            callFromAnother("call" + i + letters);
            Thread.sleep(1); // slow enough to lose no stack
        }
        stage.finish();
    }
}
