package silenced;

import java.util.*;

public class Main {
    static int sum(Iterator<Integer> it) {
        int sum = it.next();
        sum += it.next();
        return sum;
    }
    public static void main(String[] args) {
        System.out.println(sum(List.of(1, 2).iterator()));
    }
}
