import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** The properties about whose protocols a legal snippet is. */
@Retention(RetentionPolicy.SOURCE)
@interface Legal {
    String value();
}
