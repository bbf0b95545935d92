// SPDX-License-Identifier: BSD-2-Clause
package live;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Hidden JAVA-HOME: print the methods of that JDK's java.base as "class name descriptor hidden", the last one 0 or 1,
 * for classes that have a method with the annotation.
 */
public class Hidden {
    public static void main(String[] args) throws Exception {
        FileSystem image = FileSystems.newFileSystem(URI.create("jrt:/"), Map.of("java.home", args[0]));

        try (var files = Files.walk(image.getPath("/modules/java.base/java"));
                var internal = Files.walk(image.getPath("/modules/java.base/jdk"))) {
            for (Path path : files.filter(Hidden::isClass).toList())
                show(path);
            for (Path path : internal.filter(Hidden::isClass).toList())
                show(path);
        }
    }

    private static boolean isClass(Path path) {
        return path.toString().endsWith(".class");
    }

    private static void show(Path path) throws Exception {
        byte[] bytes = Files.readAllBytes(path);

        bytes[7] = (byte) Math.min(bytes[7], ClassFile.latestMajorVersion()); // the class may be from a later JDK
        ClassModel type = ClassFile.of().parse(bytes);
        if (type.methods().stream().anyMatch(Hidden::isHidden))
            for (MethodModel method : type.methods())
                System.out.println(type.thisClass().asInternalName() + " " + method.methodName().stringValue() + " "
                        + method.methodType().stringValue() + " " + (isHidden(method) ? 1 : 0));
    }

    private static boolean isHidden(MethodModel method) {
        return method.findAttribute(Attributes.runtimeVisibleAnnotations()).map(found -> found.annotations()).orElse(List.of())
                .stream().anyMatch(one -> one.className().equalsString("Ljdk/internal/vm/annotation/Hidden;"));
    }
}
