import java.util.*;

/** One thread: what the JDK calls changes the list, but only through more methods than one summary follows. */
class AloneDeep {
    private final List<Object> own = new ArrayList<>();

    class Text implements CharSequence {
        public int length() {
            return a0();
        }

        int a0() { return a1(); }
        int a1() { return a2(); }
        int a2() { return a3(); }
        int a3() { return a4(); }
        int a4() { return a5(); }
        int a5() { return a6(); }
        int a6() { return a7(); }
        int a7() { return a8(); }
        int a8() { return a9(); }
        int a9() { return a10(); }
        int a10() { return a11(); }
        int a11() { return a12(); }
        int a12() { return a13(); }
        int a13() { return a14(); }
        int a14() { return a15(); }
        int a15() { return a16(); }
        int a16() { return a17(); }
        int a17() { return a18(); }
        int a18() { return a19(); }
        int a19() { return a20(); }
        int a20() { return a21(); }
        int a21() { return a22(); }
        int a22() { return a23(); }
        int a23() { return a24(); }
        int a24() { return a25(); }
        int a25() { return a26(); }
        int a26() { return a27(); }
        int a27() { return a28(); }
        int a28() { return a29(); }
        int a29() { return a30(); }
        int a30() { return a31(); }
        int a31() { return a32(); }
        int a32() { return a33(); }
        int a33() { return a34(); }
        int a34() { return a35(); }
        int a35() { return a36(); }
        int a36() { return a37(); }
        int a37() { return a38(); }
        int a38() { return a39(); }
        int a39() { return a40(); }
        int a40() { return a41(); }
        int a41() { return a42(); }
        int a42() { return a43(); }
        int a43() { return a44(); }

        int a44() {
            own.add("asked");
            return 1;
        }

        public char charAt(int index) {
            return 'x';
        }

        public CharSequence subSequence(int start, int end) {
            return "";
        }
    }

    void searched(CharSequence text) {
        Iterator<Object> it = own.iterator();
        "xyz".contains(text);
        take(it);
    }

    static int changed;

    static void take(Iterator<Object> it) {
        try {
            it.next();
        } catch (ConcurrentModificationException e) {
            changed++;
        }
    }

    public static void main(String[] args) {
        AloneDeep deep = new AloneDeep();
        deep.own.add(1);
        deep.searched(deep.new Text());
        System.out.println(changed);
    }
}
