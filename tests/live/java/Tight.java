// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Tight DIR CLASSES METHODS: defines classes of that many methods, tight.Gen0 and up, then one more after the other until
 * the stage quits, and prints each that the JVM refuses.
 */
public class Tight extends ClassLoader {
    static byte[] image(String name, int methods) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(0xCAFEBABE);
        out.writeInt(49);
        out.writeShort(7 + methods);
        constant(out, name);
        out.writeByte(7);
        out.writeShort(1);
        constant(out, "java/lang/Object");
        out.writeByte(7);
        out.writeShort(3);
        constant(out, "Code");
        constant(out, "(I)I");
        for (int i = 0; i < methods; i++)
            constant(out, "method" + i);
        out.writeShort(0x21); // public super
        out.writeShort(2);
        out.writeShort(4);
        out.writeShort(0);
        out.writeShort(0);
        out.writeShort(methods);
        for (int i = 0; i < methods; i++) {
            out.writeShort(9); // public static
            out.writeShort(7 + i);
            out.writeShort(6);
            out.writeShort(1);
            code(out);
        }
        out.writeShort(0);
        return bytes.toByteArray();
    }

    static void constant(DataOutputStream out, String text) throws IOException {
        out.writeByte(1);
        out.writeUTF(text);
    }

    /** Returns its argument + 19. */
    static void code(DataOutputStream out) throws IOException {
        out.writeShort(5);
        out.writeInt(12 + 40);
        out.writeShort(3);
        out.writeShort(3);
        out.writeInt(40);
        out.writeByte(0x1a); // iload_0
        for (int i = 0; i < 19; i++) {
            out.writeByte(4); // iconst_1
            out.writeByte(0x60); // iadd
        }
        out.writeByte(0xac); // ireturn
        out.writeShort(0);
        out.writeShort(0);
    }

    final List<Class<?>> all = new ArrayList<>();

    void add(int number, int methods) throws Exception {
        byte[] image = image("tight/Gen" + number, methods);
        Class<?> added = defineClass("tight.Gen" + number, image, 0, image.length);

        added.getDeclaredMethod("method0", int.class).invoke(null, 1);
        all.add(added);
    }

    public static void main(String[] args) throws Exception {
        Stage stage = new Stage(args[0]);
        int classes = Integer.parseInt(args[1]), methods = Integer.parseInt(args[2]), number = 0;
        Tight loader = new Tight();

        while (number < classes)
            loader.add(number++, methods);
        System.out.println("begin");
        stage.mark("ready");
        while (!stage.has("quit")) {
            try {
                loader.add(number, 3);
            } catch (Throwable e) {
                System.out.println("class " + number + ": " + e);
            }
            number++;
            Stage.sleep(50);
        }
        System.out.println("end");
    }
}
