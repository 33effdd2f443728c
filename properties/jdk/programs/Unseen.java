import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Why no property finds what is wrong with a snippet. */
@Retention(RetentionPolicy.SOURCE)
@interface Unseen {
    String value();
}
