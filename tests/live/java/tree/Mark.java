// SPDX-License-Identifier: BSD-2-Clause
// annotations: of declarations and types, repeated, with arrays and nested annotations
package PACKAGE;

import java.lang.annotation.*;
import java.util.*;

@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD, ElementType.FIELD, ElementType.TYPE_USE, ElementType.PARAMETER})
@Repeatable(Mark.All.class)
public @interface Mark {
    String value() default "NUMBER";
    int[] numbers() default {1, NUMBER};
    Class<?>[] types() default {};
    RetentionPolicy policy() default RetentionPolicy.CLASS;

    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD, ElementType.FIELD, ElementType.TYPE_USE, ElementType.PARAMETER})
    @interface All {
        Mark[] value();
    }

    @Mark("a")
    @Mark(value = "b", numbers = {}, types = {String.class, int[].class})
    class Used {
        @Mark @Deprecated int field;

        @Mark("m")
        <T> List<@Mark("t") T> all(@Mark("p") T t) {
            return new ArrayList<@Mark T>();
        }
    }
}
