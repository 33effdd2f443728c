import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** The property that finds what is wrong with a snippet. */
@Retention(RetentionPolicy.SOURCE)
@interface Found {
    String value();
}
