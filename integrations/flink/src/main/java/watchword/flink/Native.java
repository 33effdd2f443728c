package watchword.flink;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * The library with the engine. Every {@code long} but times and counts is a handle of the library: it is
 * used by one thread at a time and given back once.
 */
final class Native {
  /** The library inside the job's jar. */
  private static final String LIBRARY = "/watchword/libwatchword_flink.so";

  static {
    // A library can be loaded by one class loader only, and every submission of a job has its own: each
    // loads a copy.
    try (InputStream library = Native.class.getResourceAsStream(LIBRARY)) {
      if (library == null) {
        throw new IllegalStateException(
            "the job has no library inside: write its jar with `watchword flink`");
      }
      Path copy = Files.createTempFile("watchword", ".so");
      try {
        Files.copy(library, copy, StandardCopyOption.REPLACE_EXISTING);
        System.load(copy.toString());
      } finally {
        // What is loaded stays until the process ends.
        Files.deleteIfExists(copy);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot load the library of watchword", e);
    }
  }

  private Native() {}

  /** A job: its properties, its options, and the names of its traces, a line each. */
  static native long open(byte[] properties, byte[] options, byte[] traces);

  static native void close(long job);

  /** A reader of a trace that was last written at that time, in milliseconds; -1 if that is not known. */
  static native long source(long job, int trace, long written);

  static native void closeSource(long source);

  /**
   * Reads bytes of a trace: whole lines, unless they are the last ones. Answers the watermark of the trace,
   * {@link Long#MIN_VALUE} if no time was read yet. If the bytes are passed over, they give no events.
   */
  static native long feed(long source, byte[] bytes, boolean isLast, boolean passOver);

  /** The events for a shard since the last call, or null. */
  static native byte[] take(long source, int shard);

  /** How many lines of a trace were skipped. */
  static native long skipped(long source);

  /** A shard as it was saved; null for one at the start. */
  static native long shard(long job, int number, byte[] saved);

  static native void closeShard(long shard);

  /** Adds events to a shard; answers late ones as lines of JSON, or null. */
  static native byte[] add(long shard, byte[] events);

  /**
   * Tells a shard the watermark, {@link Long#MAX_VALUE} at the end; answers violations as lines of JSON, or
   * null.
   */
  static native byte[] advance(long shard, long watermark);

  /** A shard as bytes. */
  static native byte[] save(long shard);
}
