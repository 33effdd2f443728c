import java.io.*;
import java.nio.*;
import java.nio.channels.*;
import java.nio.charset.*;
import java.nio.file.*;
import java.security.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;
import java.util.jar.*;
import java.util.regex.*;
import java.util.stream.*;
import java.util.zip.*;
import javax.crypto.*;
import javax.crypto.spec.*;

/** The clauses of streams, readers, files, archives, buffers, locks and ciphers, one by one, as far as other snippets do not have them. */
final class ThrowsEveryStream {
    static Path file() throws IOException {
        Path path = Files.createTempFile("throws", ".txt");
        path.toFile().deleteOnExit();
        return Files.writeString(path, "one\ntwo\nthree\n");
    }

    static Path archive() throws IOException {
        Path path = Files.createTempFile("throws", ".jar");
        path.toFile().deleteOnExit();
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(path))) {
            out.putNextEntry(new ZipEntry("a"));
            out.write(1);
        }
        return path;
    }

    @Found("InputStreamClosed")
    static void dataInputReadBoolean() throws Exception { DataInputStream in = new DataInputStream(new FileInputStream(file().toFile())); in.close(); in.readBoolean(); }
    @Found("InputStreamClosed")
    static void dataInputReadByte() throws Exception { DataInputStream in = new DataInputStream(new FileInputStream(file().toFile())); in.close(); in.readByte(); }
    @Found("InputStreamClosed")
    static void dataInputReadChar() throws Exception { DataInputStream in = new DataInputStream(new FileInputStream(file().toFile())); in.close(); in.readChar(); }
    @Found("InputStreamClosed")
    static void dataInputReadDouble() throws Exception { DataInputStream in = new DataInputStream(new FileInputStream(file().toFile())); in.close(); in.readDouble(); }
    @Found("InputStreamClosed")
    static void dataInputReadFloat() throws Exception { DataInputStream in = new DataInputStream(new FileInputStream(file().toFile())); in.close(); in.readFloat(); }
    @Found("InputStreamClosed")
    static void dataInputReadFully() throws Exception { DataInputStream in = new DataInputStream(new FileInputStream(file().toFile())); in.close(); in.readFully(new byte[1]); }
    @Found("InputStreamClosed")
    static void dataInputReadInt() throws Exception { DataInputStream in = new DataInputStream(new FileInputStream(file().toFile())); in.close(); in.readInt(); }
    @Found("InputStreamClosed")
    static void dataInputReadLong() throws Exception { DataInputStream in = new DataInputStream(new FileInputStream(file().toFile())); in.close(); in.readLong(); }
    @Found("InputStreamClosed")
    static void dataInputReadShort() throws Exception { DataInputStream in = new DataInputStream(new FileInputStream(file().toFile())); in.close(); in.readShort(); }
    @Found("InputStreamClosed")
    static void dataInputReadUTF() throws Exception { DataInputStream in = new DataInputStream(new FileInputStream(file().toFile())); in.close(); in.readUTF(); }
    @Found("InputStreamClosed")
    static void dataInputReadUnsignedByte() throws Exception { DataInputStream in = new DataInputStream(new FileInputStream(file().toFile())); in.close(); in.readUnsignedByte(); }
    @Found("InputStreamClosed")
    static void dataInputReadUnsignedShort() throws Exception { DataInputStream in = new DataInputStream(new FileInputStream(file().toFile())); in.close(); in.readUnsignedShort(); }
    @Found("InputStreamClosed")
    static void dataInputSkipBytes() throws Exception { DataInputStream in = new DataInputStream(new FileInputStream(file().toFile())); in.close(); in.skipBytes(1); }
    @Found("InputStreamClosed")
    static void dataInputRead() throws Exception { DataInputStream in = new DataInputStream(new FileInputStream(file().toFile())); in.close(); in.read(); }
    @Found("InputStreamClosed")
    static void dataInputAvailable() throws Exception { DataInputStream in = new DataInputStream(new FileInputStream(file().toFile())); in.close(); in.available(); }
    @Found("InputStreamClosed")
    static void dataInputSkip() throws Exception { DataInputStream in = new DataInputStream(new FileInputStream(file().toFile())); in.close(); in.skip(1); }
    @Found("InputStreamClosed")
    static void fileInputReadNBytes() throws Exception { InputStream in = new FileInputStream(file().toFile()); in.close(); in.readNBytes(3); }
    @Found("InputStreamClosed")
    static void fileInputSkipNBytes() throws Exception { InputStream in = new FileInputStream(file().toFile()); in.close(); in.skipNBytes(3); }
    @Found("InputStreamClosed")
    static void fileInputRead() throws Exception { InputStream in = new FileInputStream(file().toFile()); in.close(); in.read(new byte[3], 0, 2); }
    @Found("InputStreamClosed")
    static void fileInputReadNBytes2() throws Exception { InputStream in = new FileInputStream(file().toFile()); in.close(); in.readNBytes(new byte[3], 0, 3); }
    @Found("InputStreamClosed")
    static void pathInputAvailable() throws Exception { InputStream in = Files.newInputStream(file()); in.close(); in.available(); }
    @Found("InputStreamClosed")
    static void pathInputReadNBytes() throws Exception { InputStream in = Files.newInputStream(file()); in.close(); in.readNBytes(3); }
    @Found("InputStreamClosed")
    static void pathInputSkip() throws Exception { InputStream in = Files.newInputStream(file()); in.close(); in.skip(1); }
    @Found("InputStreamClosed")
    static void bufferedAvailable() throws Exception { InputStream in = new BufferedInputStream(new FileInputStream(file().toFile())); in.close(); in.available(); }
    @Found("InputStreamClosed")
    static void bufferedSkip() throws Exception { InputStream in = new BufferedInputStream(new FileInputStream(file().toFile())); in.close(); in.skip(1); }
    @Found("InputStreamClosed")
    static void bufferedReadAllBytes() throws Exception { InputStream in = new BufferedInputStream(new FileInputStream(file().toFile())); in.close(); in.readAllBytes(); }
    @Found("InputStreamClosed")
    static void bufferedReadNBytes() throws Exception { InputStream in = new BufferedInputStream(new FileInputStream(file().toFile())); in.close(); in.readNBytes(1); }
    @Found("InputStreamClosed")
    static void bufferedTransferTo() throws Exception { InputStream in = new BufferedInputStream(new FileInputStream(file().toFile())); in.close(); in.transferTo(OutputStream.nullOutputStream()); }
    @Found("InputStreamClosed")
    static void pushbackAvailable() throws Exception { InputStream in = new PushbackInputStream(new FileInputStream(file().toFile())); in.close(); in.available(); }
    @Found("InputStreamClosed")
    static void pushbackSkip() throws Exception { InputStream in = new PushbackInputStream(new FileInputStream(file().toFile())); in.close(); in.skip(1); }
    @Found("InputStreamClosed")
    static void deflaterInputRead() throws Exception { InputStream in = new DeflaterInputStream(new ByteArrayInputStream(new byte[9])); in.close(); in.read(); }
    @Found("InputStreamClosed")
    static void deflaterInputAvailable() throws Exception { InputStream in = new DeflaterInputStream(new ByteArrayInputStream(new byte[9])); in.close(); in.available(); }
    @Found("InputStreamClosed")
    static void deflaterInputSkip() throws Exception { InputStream in = new DeflaterInputStream(new ByteArrayInputStream(new byte[9])); in.close(); in.skip(1); }
    @Found("InputStreamClosed")
    static void inflaterInputRead() throws Exception { InputStream in = new InflaterInputStream(new ByteArrayInputStream(new byte[9])); in.close(); in.read(); }
    @Found("InputStreamClosed")
    static void inflaterInputAvailable() throws Exception { InputStream in = new InflaterInputStream(new ByteArrayInputStream(new byte[9])); in.close(); in.available(); }
    @Found("InputStreamClosed")
    static void inflaterInputSkip() throws Exception { InputStream in = new InflaterInputStream(new ByteArrayInputStream(new byte[9])); in.close(); in.skip(1); }
    @Found("InputStreamClosed")
    static void zipInputCloseEntry() throws Exception { ZipInputStream in = new ZipInputStream(Files.newInputStream(archive())); in.getNextEntry(); in.close(); in.closeEntry(); }
    @Found("InputStreamClosed")
    static void zipInputAvailable() throws Exception { ZipInputStream in = new ZipInputStream(Files.newInputStream(archive())); in.getNextEntry(); in.close(); in.available(); }
    @Found("InputStreamClosed")
    static void zipInputSkip() throws Exception { ZipInputStream in = new ZipInputStream(Files.newInputStream(archive())); in.getNextEntry(); in.close(); in.skip(1); }
    @Found("InputStreamClosed")
    static void zipInputGetNextEntry() throws Exception { ZipInputStream in = new ZipInputStream(Files.newInputStream(archive())); in.getNextEntry(); in.close(); in.getNextEntry(); }
    @Found("InputStreamClosed")
    static void objectFileReadObject() throws Exception { Path f = file(); try (ObjectOutputStream o = new ObjectOutputStream(new FileOutputStream(f.toFile()))) { o.writeObject("x"); } ObjectInputStream in = new ObjectInputStream(new FileInputStream(f.toFile())); in.close(); in.readObject(); }
    @Found("ReaderClosed")
    static void closedTextReset() throws Exception { Reader r = new StringReader("a"); r.close(); r.reset(); }
    @Found("ReaderClosed")
    static void closedTextMark() throws Exception { Reader r = new StringReader("a"); r.close(); r.mark(1); }
    @Found("ReaderClosed")
    static void closedTextSkip() throws Exception { Reader r = new StringReader("a"); r.close(); r.skip(1); }
    @Found("ReaderClosed")
    static void closedTextReady() throws Exception { Reader r = new StringReader("a"); r.close(); r.ready(); }
    @Found("ReaderClosed")
    static void closedCharsReset() throws Exception { Reader r = new CharArrayReader(new char[1]); r.close(); r.reset(); }
    @Found("ReaderClosed")
    static void closedCharsMark() throws Exception { Reader r = new CharArrayReader(new char[1]); r.close(); r.mark(1); }
    @Found("ReaderClosed")
    static void closedCharsSkip() throws Exception { Reader r = new CharArrayReader(new char[1]); r.close(); r.skip(1); }
    @Found("ReaderClosed")
    static void closedCharsReady() throws Exception { Reader r = new CharArrayReader(new char[1]); r.close(); r.ready(); }
    @Found("ReaderClosed")
    static void closedCharsRead() throws Exception { Reader r = new CharArrayReader(new char[1]); r.close(); r.read(); }
    @Found("MarkReset")
    static void lineNumbersReset() throws Exception { LineNumberReader r = new LineNumberReader(new StringReader("a")); r.reset(); }
    @Found("MarkReset")
    static void stringReaderClosed() throws Exception { StringReader r = new StringReader("a"); r.reset(); r = new StringReader("b"); Reader b = new BufferedReader(r, 2); b.mark(1); b.read(); b.read(); b.reset(); }
    @Found("ReaderClosed")
    static void pipedReaderReady() throws Exception { PipedReader r = new PipedReader(new PipedWriter()); r.close(); r.ready(); }
    @Found("ReaderClosed")
    static void pipedReaderRead() throws Exception { PipedReader r = new PipedReader(new PipedWriter()); r.close(); r.read(); }
    @Found("InputStreamClosed")
    static void pipedInputRead() throws Exception { PipedInputStream r = new PipedInputStream(new PipedOutputStream()); r.close(); r.read(); }
    @Found("OutputStreamClosed")
    static void bufferedOutputWrite() throws Exception { OutputStream o = new BufferedOutputStream(new FileOutputStream(file().toFile()), 2); o.close(); o.write(new byte[9]); }
    @Found("OutputStreamClosed")
    static void inflaterOutputWrite() throws Exception { OutputStream o = new InflaterOutputStream(new ByteArrayOutputStream()); o.close(); o.write(1); }
    @Found("OutputStreamClosed")
    static void inflaterOutputFlush() throws Exception { InflaterOutputStream o = new InflaterOutputStream(new ByteArrayOutputStream()); o.close(); o.flush(); }
    @Found("OutputStreamClosed")
    static void inflaterOutputFinish() throws Exception { InflaterOutputStream o = new InflaterOutputStream(new ByteArrayOutputStream()); o.close(); o.finish(); }
    @Found("WriterClosed")
    static void pipedWriterWrite() throws Exception { PipedWriter w = new PipedWriter(new PipedReader()); w.close(); w.write(1); }
    @Found("WriterClosed")
    static void pipedWriterFlush() throws Exception { PipedWriter w = new PipedWriter(new PipedReader()); w.close(); w.flush(); }
    @Found("OutputStreamClosed")
    static void pipedOutputWrite() throws Exception { PipedOutputStream w = new PipedOutputStream(new PipedInputStream()); w.close(); w.write(1); }
    @Found("WriterClosed")
    static void bufferedWriterWrite() throws Exception { Writer w = new BufferedWriter(new StringWriter()); w.close(); w.write("a"); }
    @Found("WriterClosed")
    static void bufferedWriterAppend() throws Exception { Writer w = new BufferedWriter(new StringWriter()); w.close(); w.append("a"); }
    @Found("WriterClosed")
    static void bufferedWriterFlush() throws Exception { Writer w = new BufferedWriter(new StringWriter()); w.close(); w.flush(); }
    @Found("WriterClosed")
    static void bufferedWriterAppend2() throws Exception { Writer w = new BufferedWriter(new StringWriter()); w.close(); w.append('a'); }
    @Found("ReaderClosed")
    static void lineReaderReadLine() throws Exception { LineNumberReader r = new LineNumberReader(new StringReader("a")); r.close(); r.readLine(); }
    @Found("ReaderClosed")
    static void lineReaderRead() throws Exception { LineNumberReader r = new LineNumberReader(new StringReader("a")); r.close(); r.read(); }
    @Found("ReaderClosed")
    static void lineReaderSkip() throws Exception { LineNumberReader r = new LineNumberReader(new StringReader("a")); r.close(); r.skip(1); }
    @Found("ReaderClosed")
    static void lineReaderReady() throws Exception { LineNumberReader r = new LineNumberReader(new StringReader("a")); r.close(); r.ready(); }
    @Found("RandomAccessFileClosed")
    static void randomRead() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.read(); }
    @Found("RandomAccessFileClosed")
    static void randomReadBoolean() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.readBoolean(); }
    @Found("RandomAccessFileClosed")
    static void randomReadByte() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.readByte(); }
    @Found("RandomAccessFileClosed")
    static void randomReadChar() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.readChar(); }
    @Found("RandomAccessFileClosed")
    static void randomReadDouble() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.readDouble(); }
    @Found("RandomAccessFileClosed")
    static void randomReadFloat() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.readFloat(); }
    @Found("RandomAccessFileClosed")
    static void randomReadFully() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.readFully(new byte[1]); }
    @Found("RandomAccessFileClosed")
    static void randomReadInt() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.readInt(); }
    @Found("RandomAccessFileClosed")
    static void randomReadLine() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.readLine(); }
    @Found("RandomAccessFileClosed")
    static void randomReadLong() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.readLong(); }
    @Found("RandomAccessFileClosed")
    static void randomReadShort() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.readShort(); }
    @Found("RandomAccessFileClosed")
    static void randomReadUTF() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.readUTF(); }
    @Found("RandomAccessFileClosed")
    static void randomReadUnsignedByte() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.readUnsignedByte(); }
    @Found("RandomAccessFileClosed")
    static void randomReadUnsignedShort() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.readUnsignedShort(); }
    @Found("RandomAccessFileClosed")
    static void randomWrite() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.write(1); }
    @Found("RandomAccessFileClosed")
    static void randomWriteBoolean() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.writeBoolean(true); }
    @Found("RandomAccessFileClosed")
    static void randomWriteByte() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.writeByte(1); }
    @Found("RandomAccessFileClosed")
    static void randomWriteBytes() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.writeBytes("a"); }
    @Found("RandomAccessFileClosed")
    static void randomWriteChar() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.writeChar(1); }
    @Found("RandomAccessFileClosed")
    static void randomWriteChars() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.writeChars("a"); }
    @Found("RandomAccessFileClosed")
    static void randomWriteDouble() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.writeDouble(1); }
    @Found("RandomAccessFileClosed")
    static void randomWriteFloat() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.writeFloat(1); }
    @Found("RandomAccessFileClosed")
    static void randomWriteInt() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.writeInt(1); }
    @Found("RandomAccessFileClosed")
    static void randomWriteLong() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.writeLong(1); }
    @Found("RandomAccessFileClosed")
    static void randomWriteShort() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.writeShort(1); }
    @Found("RandomAccessFileClosed")
    static void randomWriteUTF() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.writeUTF("a"); }
    @Found("RandomAccessFileClosed")
    static void randomSeek() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.seek(0); }
    @Found("RandomAccessFileClosed")
    static void randomSkipBytes() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.skipBytes(1); }
    @Found("RandomAccessFileClosed")
    static void randomLength() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.length(); }
    @Found("RandomAccessFileClosed")
    static void randomSetLength() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.setLength(0); }
    @Found("RandomAccessFileClosed")
    static void randomGetFilePointer() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.close(); f.getFilePointer(); }
    @Found("ObjectStreamInactive")
    static void inactiveReadFields() throws Exception { ByteArrayOutputStream o = new ByteArrayOutputStream(); new ObjectOutputStream(o).writeObject("x"); ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(o.toByteArray())); in.readFields(); }
    @Found("ObjectStreamInactive")
    static void inactiveRegisterValidation() throws Exception { ByteArrayOutputStream o = new ByteArrayOutputStream(); new ObjectOutputStream(o).writeObject("x"); ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(o.toByteArray())); in.registerValidation(() -> { }, 0); }
    @Found("ObjectStreamInactive")
    static void inactiveDefaultReadObject() throws Exception { ByteArrayOutputStream o = new ByteArrayOutputStream(); new ObjectOutputStream(o).writeObject("x"); ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(o.toByteArray())); in.defaultReadObject(); }
    @Found("ObjectStreamInactive")
    static void filterLate() throws Exception { ByteArrayOutputStream o = new ByteArrayOutputStream(); new ObjectOutputStream(o).writeObject("x"); ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(o.toByteArray())); in.readObject(); in.setObjectInputFilter(i -> ObjectInputFilter.Status.ALLOWED); }
    @Found("ObjectStreamInactive")
    static void inactiveOutputPutFields() throws Exception { ObjectOutputStream out = new ObjectOutputStream(new ByteArrayOutputStream()); out.putFields(); }
    @Found("ObjectStreamInactive")
    static void inactiveOutputWriteFields() throws Exception { ObjectOutputStream out = new ObjectOutputStream(new ByteArrayOutputStream()); out.writeFields(); }
    @Found("ObjectStreamInactive")
    static void inactiveOutputDefaultWriteObject() throws Exception { ObjectOutputStream out = new ObjectOutputStream(new ByteArrayOutputStream()); out.defaultWriteObject(); }
    @Found("BufferMisused")
    static void byteBufferArray() throws Exception { ByteBuffer b = ByteBuffer.allocate(1).asReadOnlyBuffer(); b.array(); }
    @Found("BufferMisused")
    static void byteBufferArrayOffset() throws Exception { ByteBuffer b = ByteBuffer.allocate(1).asReadOnlyBuffer(); b.arrayOffset(); }
    @Found("BufferMisused")
    static void byteBufferCompact() throws Exception { ByteBuffer b = ByteBuffer.allocate(1).asReadOnlyBuffer(); b.compact(); }
    @Found("BufferMisused")
    static void byteBufferPut() throws Exception { ByteBuffer b = ByteBuffer.allocate(1).asReadOnlyBuffer(); b.put((byte) 1); }
    @Found("BufferMisused")
    static void byteBufferEndGet() throws Exception { ByteBuffer b = ByteBuffer.allocate(1); b.position(1); b.get(); }
    @Found("BufferMisused")
    static void byteBufferEndPut() throws Exception { ByteBuffer b = ByteBuffer.allocate(1); b.position(1); b.put((byte) 1); }
    @Found("BufferMisused")
    static void byteBufferMany() throws Exception { ByteBuffer b = ByteBuffer.allocate(1); b.put(ByteBuffer.allocate(2)); }
    @Found("BufferMisused")
    static void charBufferArray() throws Exception { CharBuffer b = CharBuffer.allocate(1).asReadOnlyBuffer(); b.array(); }
    @Found("BufferMisused")
    static void charBufferArrayOffset() throws Exception { CharBuffer b = CharBuffer.allocate(1).asReadOnlyBuffer(); b.arrayOffset(); }
    @Found("BufferMisused")
    static void charBufferCompact() throws Exception { CharBuffer b = CharBuffer.allocate(1).asReadOnlyBuffer(); b.compact(); }
    @Found("BufferMisused")
    static void charBufferPut() throws Exception { CharBuffer b = CharBuffer.allocate(1).asReadOnlyBuffer(); b.put('a'); }
    @Found("BufferMisused")
    static void charBufferEndGet() throws Exception { CharBuffer b = CharBuffer.allocate(1); b.position(1); b.get(); }
    @Found("BufferMisused")
    static void charBufferEndPut() throws Exception { CharBuffer b = CharBuffer.allocate(1); b.position(1); b.put('a'); }
    @Found("BufferMisused")
    static void charBufferMany() throws Exception { CharBuffer b = CharBuffer.allocate(1); b.put(CharBuffer.allocate(2)); }
    @Found("BufferMisused")
    static void shortBufferArray() throws Exception { ShortBuffer b = ShortBuffer.allocate(1).asReadOnlyBuffer(); b.array(); }
    @Found("BufferMisused")
    static void shortBufferArrayOffset() throws Exception { ShortBuffer b = ShortBuffer.allocate(1).asReadOnlyBuffer(); b.arrayOffset(); }
    @Found("BufferMisused")
    static void shortBufferCompact() throws Exception { ShortBuffer b = ShortBuffer.allocate(1).asReadOnlyBuffer(); b.compact(); }
    @Found("BufferMisused")
    static void shortBufferPut() throws Exception { ShortBuffer b = ShortBuffer.allocate(1).asReadOnlyBuffer(); b.put((short) 1); }
    @Found("BufferMisused")
    static void shortBufferEndGet() throws Exception { ShortBuffer b = ShortBuffer.allocate(1); b.position(1); b.get(); }
    @Found("BufferMisused")
    static void shortBufferEndPut() throws Exception { ShortBuffer b = ShortBuffer.allocate(1); b.position(1); b.put((short) 1); }
    @Found("BufferMisused")
    static void shortBufferMany() throws Exception { ShortBuffer b = ShortBuffer.allocate(1); b.put(ShortBuffer.allocate(2)); }
    @Found("BufferMisused")
    static void intBufferArray() throws Exception { IntBuffer b = IntBuffer.allocate(1).asReadOnlyBuffer(); b.array(); }
    @Found("BufferMisused")
    static void intBufferArrayOffset() throws Exception { IntBuffer b = IntBuffer.allocate(1).asReadOnlyBuffer(); b.arrayOffset(); }
    @Found("BufferMisused")
    static void intBufferCompact() throws Exception { IntBuffer b = IntBuffer.allocate(1).asReadOnlyBuffer(); b.compact(); }
    @Found("BufferMisused")
    static void intBufferPut() throws Exception { IntBuffer b = IntBuffer.allocate(1).asReadOnlyBuffer(); b.put(1); }
    @Found("BufferMisused")
    static void intBufferEndGet() throws Exception { IntBuffer b = IntBuffer.allocate(1); b.position(1); b.get(); }
    @Found("BufferMisused")
    static void intBufferEndPut() throws Exception { IntBuffer b = IntBuffer.allocate(1); b.position(1); b.put(1); }
    @Found("BufferMisused")
    static void intBufferMany() throws Exception { IntBuffer b = IntBuffer.allocate(1); b.put(IntBuffer.allocate(2)); }
    @Found("BufferMisused")
    static void longBufferArray() throws Exception { LongBuffer b = LongBuffer.allocate(1).asReadOnlyBuffer(); b.array(); }
    @Found("BufferMisused")
    static void longBufferArrayOffset() throws Exception { LongBuffer b = LongBuffer.allocate(1).asReadOnlyBuffer(); b.arrayOffset(); }
    @Found("BufferMisused")
    static void longBufferCompact() throws Exception { LongBuffer b = LongBuffer.allocate(1).asReadOnlyBuffer(); b.compact(); }
    @Found("BufferMisused")
    static void longBufferPut() throws Exception { LongBuffer b = LongBuffer.allocate(1).asReadOnlyBuffer(); b.put(1L); }
    @Found("BufferMisused")
    static void longBufferEndGet() throws Exception { LongBuffer b = LongBuffer.allocate(1); b.position(1); b.get(); }
    @Found("BufferMisused")
    static void longBufferEndPut() throws Exception { LongBuffer b = LongBuffer.allocate(1); b.position(1); b.put(1L); }
    @Found("BufferMisused")
    static void longBufferMany() throws Exception { LongBuffer b = LongBuffer.allocate(1); b.put(LongBuffer.allocate(2)); }
    @Found("BufferMisused")
    static void floatBufferArray() throws Exception { FloatBuffer b = FloatBuffer.allocate(1).asReadOnlyBuffer(); b.array(); }
    @Found("BufferMisused")
    static void floatBufferArrayOffset() throws Exception { FloatBuffer b = FloatBuffer.allocate(1).asReadOnlyBuffer(); b.arrayOffset(); }
    @Found("BufferMisused")
    static void floatBufferCompact() throws Exception { FloatBuffer b = FloatBuffer.allocate(1).asReadOnlyBuffer(); b.compact(); }
    @Found("BufferMisused")
    static void floatBufferPut() throws Exception { FloatBuffer b = FloatBuffer.allocate(1).asReadOnlyBuffer(); b.put(1f); }
    @Found("BufferMisused")
    static void floatBufferEndGet() throws Exception { FloatBuffer b = FloatBuffer.allocate(1); b.position(1); b.get(); }
    @Found("BufferMisused")
    static void floatBufferEndPut() throws Exception { FloatBuffer b = FloatBuffer.allocate(1); b.position(1); b.put(1f); }
    @Found("BufferMisused")
    static void floatBufferMany() throws Exception { FloatBuffer b = FloatBuffer.allocate(1); b.put(FloatBuffer.allocate(2)); }
    @Found("BufferMisused")
    static void doubleBufferArray() throws Exception { DoubleBuffer b = DoubleBuffer.allocate(1).asReadOnlyBuffer(); b.array(); }
    @Found("BufferMisused")
    static void doubleBufferArrayOffset() throws Exception { DoubleBuffer b = DoubleBuffer.allocate(1).asReadOnlyBuffer(); b.arrayOffset(); }
    @Found("BufferMisused")
    static void doubleBufferCompact() throws Exception { DoubleBuffer b = DoubleBuffer.allocate(1).asReadOnlyBuffer(); b.compact(); }
    @Found("BufferMisused")
    static void doubleBufferPut() throws Exception { DoubleBuffer b = DoubleBuffer.allocate(1).asReadOnlyBuffer(); b.put(1d); }
    @Found("BufferMisused")
    static void doubleBufferEndGet() throws Exception { DoubleBuffer b = DoubleBuffer.allocate(1); b.position(1); b.get(); }
    @Found("BufferMisused")
    static void doubleBufferEndPut() throws Exception { DoubleBuffer b = DoubleBuffer.allocate(1); b.position(1); b.put(1d); }
    @Found("BufferMisused")
    static void doubleBufferMany() throws Exception { DoubleBuffer b = DoubleBuffer.allocate(1); b.put(DoubleBuffer.allocate(2)); }
    @Found("BufferMisused")
    static void getCharEnd() throws Exception { ByteBuffer b = ByteBuffer.allocate(1); b.getChar(); }
    @Found("BufferMisused")
    static void putCharEnd() throws Exception { ByteBuffer b = ByteBuffer.allocateDirect(1); b.putChar('a'); }
    @Found("BufferMisused")
    static void putCharReadOnly() throws Exception { ByteBuffer b = ByteBuffer.allocate(8).asReadOnlyBuffer(); b.putChar('a'); }
    @Found("BufferMisused")
    static void getDoubleEnd() throws Exception { ByteBuffer b = ByteBuffer.allocate(1); b.getDouble(); }
    @Found("BufferMisused")
    static void putDoubleEnd() throws Exception { ByteBuffer b = ByteBuffer.allocateDirect(1); b.putDouble(1d); }
    @Found("BufferMisused")
    static void putDoubleReadOnly() throws Exception { ByteBuffer b = ByteBuffer.allocate(8).asReadOnlyBuffer(); b.putDouble(1d); }
    @Found("BufferMisused")
    static void getFloatEnd() throws Exception { ByteBuffer b = ByteBuffer.allocate(1); b.getFloat(); }
    @Found("BufferMisused")
    static void putFloatEnd() throws Exception { ByteBuffer b = ByteBuffer.allocateDirect(1); b.putFloat(1f); }
    @Found("BufferMisused")
    static void putFloatReadOnly() throws Exception { ByteBuffer b = ByteBuffer.allocate(8).asReadOnlyBuffer(); b.putFloat(1f); }
    @Found("BufferMisused")
    static void getIntEnd() throws Exception { ByteBuffer b = ByteBuffer.allocate(1); b.getInt(); }
    @Found("BufferMisused")
    static void putIntEnd() throws Exception { ByteBuffer b = ByteBuffer.allocateDirect(1); b.putInt(1); }
    @Found("BufferMisused")
    static void putIntReadOnly() throws Exception { ByteBuffer b = ByteBuffer.allocate(8).asReadOnlyBuffer(); b.putInt(1); }
    @Found("BufferMisused")
    static void getLongEnd() throws Exception { ByteBuffer b = ByteBuffer.allocate(1); b.getLong(); }
    @Found("BufferMisused")
    static void putLongEnd() throws Exception { ByteBuffer b = ByteBuffer.allocateDirect(1); b.putLong(1L); }
    @Found("BufferMisused")
    static void putLongReadOnly() throws Exception { ByteBuffer b = ByteBuffer.allocate(8).asReadOnlyBuffer(); b.putLong(1L); }
    @Found("BufferMisused")
    static void getShortEnd() throws Exception { ByteBuffer b = ByteBuffer.allocate(1); b.getShort(); }
    @Found("BufferMisused")
    static void putShortEnd() throws Exception { ByteBuffer b = ByteBuffer.allocateDirect(1); b.putShort((short) 1); }
    @Found("BufferMisused")
    static void putShortReadOnly() throws Exception { ByteBuffer b = ByteBuffer.allocate(8).asReadOnlyBuffer(); b.putShort((short) 1); }
    @Found("BufferMisused")
    static void charBufferAppend() throws Exception { CharBuffer b = CharBuffer.allocate(1).asReadOnlyBuffer(); b.append('a'); }
    @Found("BufferMisused")
    static void charBufferAppend2() throws Exception { CharBuffer b = CharBuffer.allocate(1).asReadOnlyBuffer(); b.append("a"); }
    @Found("BufferMisused")
    static void charBufferWrap() throws Exception { CharBuffer b = CharBuffer.allocate(1).asReadOnlyBuffer(); CharBuffer.wrap("ab").read(b); }
    @Found("BufferMisused")
    static void charBufferFullAppend() throws Exception { CharBuffer b = CharBuffer.allocate(1); b.append("ab"); }
    @Found("BufferMisused")
    static void mappedCompact() throws Exception { try (FileChannel c = FileChannel.open(file())) { MappedByteBuffer b = c.map(FileChannel.MapMode.READ_ONLY, 0, 3); b.compact(); } }
    @Found("CharsetCoder")
    static void encoderCanEncode() throws Exception { CharsetEncoder e = StandardCharsets.UTF_8.newEncoder(); e.encode(CharBuffer.wrap("a"), ByteBuffer.allocate(9), false); e.canEncode("a"); }
    @Found("CharsetCoder")
    static void encoderFlush() throws Exception { CharsetEncoder e = StandardCharsets.UTF_8.newEncoder(); e.encode(CharBuffer.wrap("a"), ByteBuffer.allocate(9), false); e.flush(ByteBuffer.allocate(1)); }
    @Found("CharsetCoder")
    static void encoderEncode() throws Exception { CharsetEncoder e = StandardCharsets.UTF_8.newEncoder(); e.encode(CharBuffer.wrap("a"), ByteBuffer.allocate(9), false); e.encode(CharBuffer.wrap("a"), ByteBuffer.allocate(9), true); e.encode(CharBuffer.wrap("b"), ByteBuffer.allocate(9), false); }
    @Found("CharsetCoder")
    static void decoderFlush() throws Exception { StandardCharsets.UTF_8.newDecoder().flush(CharBuffer.allocate(1)); }
    @Found("CharsetCoder")
    static void decoderDetected() throws Exception { CharsetDecoder d = Charset.forName("JISAutoDetect").newDecoder(); d.detectedCharset(); }
    @Found("ZipFileClosed")
    static void zipGetComment() throws Exception { ZipFile z = new ZipFile(archive().toFile()); ZipEntry e = z.getEntry("a"); z.close(); z.getComment(); }
    @Found("ZipFileClosed")
    static void zipGetInputStream() throws Exception { ZipFile z = new ZipFile(archive().toFile()); ZipEntry e = z.getEntry("a"); z.close(); z.getInputStream(e); }
    @Found("ZipFileClosed")
    static void zipEntries() throws Exception { ZipFile z = new ZipFile(archive().toFile()); ZipEntry e = z.getEntry("a"); z.close(); z.entries(); }
    @Found("ZipFileClosed")
    static void zipGetEntry() throws Exception { ZipFile z = new ZipFile(archive().toFile()); ZipEntry e = z.getEntry("a"); z.close(); z.getEntry("a"); }
    @Found("ZipFileClosed")
    static void zipSize() throws Exception { ZipFile z = new ZipFile(archive().toFile()); ZipEntry e = z.getEntry("a"); z.close(); z.size(); }
    @Found("ZipFileClosed")
    static void zipStream() throws Exception { ZipFile z = new ZipFile(archive().toFile()); ZipEntry e = z.getEntry("a"); z.close(); z.stream(); }
    @Found("ZipFileClosed")
    static void jarGetInputStream() throws Exception { JarFile z = new JarFile(archive().toFile()); ZipEntry e = z.getEntry("a"); z.close(); z.getInputStream(e); }
    @Found("ZipFileClosed")
    static void jarEntries() throws Exception { JarFile z = new JarFile(archive().toFile()); ZipEntry e = z.getEntry("a"); z.close(); z.entries(); }
    @Found("ZipFileClosed")
    static void jarGetEntry() throws Exception { JarFile z = new JarFile(archive().toFile()); ZipEntry e = z.getEntry("a"); z.close(); z.getEntry("a"); }
    @Found("ZipFileClosed")
    static void jarGetJarEntry() throws Exception { JarFile z = new JarFile(archive().toFile()); ZipEntry e = z.getEntry("a"); z.close(); z.getJarEntry("a"); }
    @Found("ZipFileClosed")
    static void jarGetManifest() throws Exception { JarFile z = new JarFile(archive().toFile()); ZipEntry e = z.getEntry("a"); z.close(); z.getManifest(); }
    @Found("ZipFileClosed")
    static void jarStream() throws Exception { JarFile z = new JarFile(archive().toFile()); ZipEntry e = z.getEntry("a"); z.close(); z.stream(); }
    @Found("ZipFileClosed")
    static void jarVersionedStream() throws Exception { JarFile z = new JarFile(archive().toFile()); ZipEntry e = z.getEntry("a"); z.close(); z.versionedStream(); }
    @Found("DeflaterEnded")
    static void deflaterGetAdler() throws Exception { Deflater d = new Deflater(); d.end(); d.getAdler(); }
    @Found("DeflaterEnded")
    static void deflaterGetBytesRead() throws Exception { Deflater d = new Deflater(); d.end(); d.getBytesRead(); }
    @Found("DeflaterEnded")
    static void deflaterGetBytesWritten() throws Exception { Deflater d = new Deflater(); d.end(); d.getBytesWritten(); }
    @Found("DeflaterEnded")
    static void deflaterGetTotalIn() throws Exception { Deflater d = new Deflater(); d.end(); d.getTotalIn(); }
    @Found("DeflaterEnded")
    static void deflaterGetTotalOut() throws Exception { Deflater d = new Deflater(); d.end(); d.getTotalOut(); }
    @Found("DeflaterEnded")
    static void deflaterSetDictionary() throws Exception { Deflater d = new Deflater(); d.end(); d.setDictionary(new byte[1]); }
    @Found("DeflaterEnded")
    static void deflaterDeflate() throws Exception { Deflater d = new Deflater(); d.end(); d.deflate(new byte[1]); }
    @Found("DeflaterEnded")
    static void deflaterReset() throws Exception { Deflater d = new Deflater(); d.end(); d.reset(); }
    @Found("DeflaterEnded")
    static void inflaterGetAdler() throws Exception { Inflater d = new Inflater(); d.end(); d.getAdler(); }
    @Found("DeflaterEnded")
    static void inflaterGetBytesRead() throws Exception { Inflater d = new Inflater(); d.end(); d.getBytesRead(); }
    @Found("DeflaterEnded")
    static void inflaterGetBytesWritten() throws Exception { Inflater d = new Inflater(); d.end(); d.getBytesWritten(); }
    @Found("DeflaterEnded")
    static void inflaterGetTotalIn() throws Exception { Inflater d = new Inflater(); d.end(); d.getTotalIn(); }
    @Found("DeflaterEnded")
    static void inflaterGetTotalOut() throws Exception { Inflater d = new Inflater(); d.end(); d.getTotalOut(); }
    @Found("DeflaterEnded")
    static void inflaterSetDictionary() throws Exception { Inflater d = new Inflater(); d.end(); d.setDictionary(new byte[1]); }
    @Found("DeflaterEnded")
    static void inflaterInflate() throws Exception { Inflater d = new Inflater(); d.end(); d.inflate(new byte[1]); }
    @Found("DeflaterEnded")
    static void inflaterReset() throws Exception { Inflater d = new Inflater(); d.end(); d.reset(); }
    @Found("LockUnlock")
    static void stampedUnlock() throws Exception { StampedLock l = new StampedLock(); l.unlock(1); }
    @Found("LockUnlock")
    static void stampedUnlockRead() throws Exception { StampedLock l = new StampedLock(); l.unlockRead(1); }
    @Found("LockUnlock")
    static void stampedUnlockWrite() throws Exception { StampedLock l = new StampedLock(); l.unlockWrite(1); }
    @Found("ConditionLock")
    static void lockAwaitUninterruptibly() throws Exception { ReentrantLock l = new ReentrantLock(); Condition c = l.newCondition(); c.awaitUninterruptibly(); }
    @Found("ConditionLock")
    static void lockAwaitUntil() throws Exception { ReentrantLock l = new ReentrantLock(); Condition c = l.newCondition(); c.awaitUntil(new Date()); }
    @Found("ConditionLock")
    static void lockAwait() throws Exception { ReentrantLock l = new ReentrantLock(); Condition c = l.newCondition(); c.await(1, TimeUnit.SECONDS); }
    @Found("ConditionLock")
    static void lockAwaitNanos() throws Exception { ReentrantLock l = new ReentrantLock(); Condition c = l.newCondition(); c.awaitNanos(1); }
    @Found("ConditionLock")
    static void lockSignalAll() throws Exception { ReentrantLock l = new ReentrantLock(); Condition c = l.newCondition(); c.signalAll(); }
    @Found("ConditionLock")
    static void lockGetWaitQueueLength() throws Exception { ReentrantLock l = new ReentrantLock(); Condition c = l.newCondition(); l.getWaitQueueLength(c); }
    @Found("ConditionLock")
    static void lockHasWaiters() throws Exception { ReentrantLock l = new ReentrantLock(); Condition c = l.newCondition(); l.hasWaiters(c); }
    @Found("ConditionLock")
    static void writeLockGetWaitQueueLength() throws Exception { ReentrantReadWriteLock l = new ReentrantReadWriteLock(); Condition c = l.writeLock().newCondition(); l.getWaitQueueLength(c); }
    @Found("ConditionLock")
    static void writeLockHasWaiters() throws Exception { ReentrantReadWriteLock l = new ReentrantReadWriteLock(); Condition c = l.writeLock().newCondition(); l.hasWaiters(c); }
    @Found("ConditionLock")
    static void writeLockAwait() throws Exception { ReentrantReadWriteLock l = new ReentrantReadWriteLock(); Condition c = l.writeLock().newCondition(); c.await(); }
    @Found("MatcherMatch")
    static void replaceFirstChanged() throws Exception { Matcher m = Pattern.compile("a").matcher("aa"); m.replaceFirst(r -> { m.find(); return "x"; }); }
    @Found("PhaserParties")
    static void awaitAdvance() throws Exception { new Phaser().arriveAndAwaitAdvance(); }
    @Found("PhaserParties")
    static void registerMany() throws Exception { Phaser p = new Phaser(65535); p.register(); }
    @Found("PhaserParties")
    static void bulkRegisterMany() throws Exception { Phaser p = new Phaser(65000); p.bulkRegister(1000); }
    @Found("ExecutorAfterShutdown")
    static void scheduledInvokeAll() throws Exception { ScheduledExecutorService e = Executors.newScheduledThreadPool(1); e.shutdown(); e.invokeAll(List.of(() -> 1)); }
    @Found("ExecutorAfterShutdown")
    static void scheduledInvokeAny() throws Exception { ScheduledExecutorService e = Executors.newScheduledThreadPool(1); e.shutdown(); e.invokeAny(List.of(() -> 1)); }
    @Found("ExecutorAfterShutdown")
    static void scheduledSchedule() throws Exception { ScheduledExecutorService e = Executors.newScheduledThreadPool(1); e.shutdown(); e.schedule(() -> 1, 1, TimeUnit.SECONDS); }
    @Found("ExecutorAfterShutdown")
    static void scheduledScheduleAtFixedRate() throws Exception { ScheduledExecutorService e = Executors.newScheduledThreadPool(1); e.shutdown(); e.scheduleAtFixedRate(() -> { }, 1, 1, TimeUnit.SECONDS); }
    @Found("ExecutorAfterShutdown")
    static void scheduledScheduleWithFixedDelay() throws Exception { ScheduledExecutorService e = Executors.newScheduledThreadPool(1); e.shutdown(); e.scheduleWithFixedDelay(() -> { }, 1, 1, TimeUnit.SECONDS); }
    @Found("ExecutorAfterShutdown")
    static void scheduledSubmit() throws Exception { ScheduledExecutorService e = Executors.newScheduledThreadPool(1); e.shutdown(); e.submit(() -> 1); }
    @Found("ExecutorAfterShutdown")
    static void scheduledExecute() throws Exception { ScheduledExecutorService e = Executors.newScheduledThreadPool(1); e.shutdown(); e.execute(() -> { }); }
    @Found("ExecutorAfterShutdown")
    static void forkJoinInvoke() throws Exception { ForkJoinPool e = new ForkJoinPool(1); e.shutdown(); e.invoke(ForkJoinTask.adapt(() -> { })); }
    @Found("ExecutorAfterShutdown")
    static void forkJoinSubmit() throws Exception { ForkJoinPool e = new ForkJoinPool(1); e.shutdown(); e.submit(() -> 1); }
    @Found("ExecutorAfterShutdown")
    static void forkJoinExecute() throws Exception { ForkJoinPool e = new ForkJoinPool(1); e.shutdown(); e.execute(() -> { }); }
    @Found("KeyAgreementInit")
    static void phaseEarly() throws Exception { KeyAgreement k = KeyAgreement.getInstance("X25519"); k.doPhase(KeyPairGenerator.getInstance("X25519").generateKeyPair().getPublic(), true); }
    @Found("KeyAgreementInit")
    static void secretEarly() throws Exception { KeyAgreement k = KeyAgreement.getInstance("X25519"); k.generateSecret(); }
    @Found("CipherInit")
    static void unwrapEarly() throws Exception { Cipher.getInstance("AES/ECB/PKCS5Padding").unwrap(new byte[16], "AES", Cipher.SECRET_KEY); }
    @Found("CipherInit")
    static void cipherUpdate() throws Exception { Cipher c = Cipher.getInstance("AES/CBC/PKCS5Padding"); c.update(new byte[1]); }
    @Found("CipherInit")
    static void cipherUpdateAAD() throws Exception { Cipher c = Cipher.getInstance("AES/CBC/PKCS5Padding"); c.updateAAD(new byte[1]); }
    @Found("CipherInit")
    static void cipherDoFinal() throws Exception { Cipher c = Cipher.getInstance("AES/CBC/PKCS5Padding"); c.doFinal(); }
    @Found("CipherInit")
    static void cipherWrap() throws Exception { Cipher c = Cipher.getInstance("AES/CBC/PKCS5Padding"); c.wrap(new SecretKeySpec(new byte[16], "AES")); }
    @Found("CipherInit")
    static void cipherGetOutputSize() throws Exception { Cipher c = Cipher.getInstance("AES/CBC/PKCS5Padding"); c.getOutputSize(1); }
    @Found("MacInit")
    static void macUpdate() throws Exception { Mac m = Mac.getInstance("HmacSHA256"); m.update((byte) 1); }
    @Found("MacInit")
    static void macDoFinal() throws Exception { Mac m = Mac.getInstance("HmacSHA256"); m.doFinal(); }
    @Found("MacInit")
    static void macDoFinal2() throws Exception { Mac m = Mac.getInstance("HmacSHA256"); m.doFinal(new byte[1]); }
    @Found("MacInit")
    static void macUpdate2() throws Exception { Mac m = Mac.getInstance("HmacSHA256"); m.update(ByteBuffer.allocate(1)); }
    @Found("SignatureInit")
    static void signatureUpdate() throws Exception { Signature s = Signature.getInstance("SHA256withRSA"); s.update((byte) 1); }
    @Found("SignatureInit")
    static void signatureSign() throws Exception { Signature s = Signature.getInstance("SHA256withRSA"); s.sign(); }
    @Found("SignatureInit")
    static void signatureVerify() throws Exception { Signature s = Signature.getInstance("SHA256withRSA"); s.verify(new byte[1]); }
    @Found("SignatureInit")
    static void signatureUpdate2() throws Exception { Signature s = Signature.getInstance("SHA256withRSA"); s.update(ByteBuffer.allocate(1)); }
    @Found("ReaderClosed")
    static void fileReaderReady() throws Exception { Reader r = new FileReader(file().toFile()); r.close(); r.ready(); }
    @Found("ReaderClosed")
    static void fileReaderSkip() throws Exception { Reader r = new FileReader(file().toFile()); r.close(); r.skip(1); }
    @Found("ReaderClosed")
    static void fileReaderRead() throws Exception { Reader r = new FileReader(file().toFile()); r.close(); r.read(); }
    @Found("ReaderClosed")
    static void pushbackReaderReady() throws Exception { PushbackReader r = new PushbackReader(new StringReader("a")); r.close(); r.ready(); }
    @Found("ReaderClosed")
    static void pushbackReaderSkip() throws Exception { PushbackReader r = new PushbackReader(new StringReader("a")); r.close(); r.skip(1); }
    @Found("ReaderClosed")
    static void pushbackReaderUnread() throws Exception { PushbackReader r = new PushbackReader(new StringReader("a")); r.close(); r.unread(1); }
    @Found("WriterClosed")
    static void fileWriterAppend() throws Exception { Writer w = new FileWriter(file().toFile()); w.close(); w.append("a"); }
    @Found("WriterClosed")
    static void fileWriterAppend2() throws Exception { Writer w = new FileWriter(file().toFile()); w.close(); w.append('a'); }
    @Found("WriterClosed")
    static void fileWriterWrite() throws Exception { Writer w = new FileWriter(file().toFile()); w.close(); w.write("a"); }
    @Found("WriterClosed")
    static void fileWriterFlush() throws Exception { Writer w = new FileWriter(file().toFile()); w.close(); w.flush(); }
    @Found("InputStreamClosed")
    static void gzipInputAvailable() throws Exception { ByteArrayOutputStream b = new ByteArrayOutputStream(); try (OutputStream o = new GZIPOutputStream(b)) { o.write(1); } InputStream in = new GZIPInputStream(new ByteArrayInputStream(b.toByteArray())); in.close(); in.available(); }
    @Found("InputStreamClosed")
    static void gzipInputSkip() throws Exception { ByteArrayOutputStream b = new ByteArrayOutputStream(); try (OutputStream o = new GZIPOutputStream(b)) { o.write(1); } InputStream in = new GZIPInputStream(new ByteArrayInputStream(b.toByteArray())); in.close(); in.skip(1); }
    @Found("InputStreamClosed")
    static void gzipInputRead() throws Exception { ByteArrayOutputStream b = new ByteArrayOutputStream(); try (OutputStream o = new GZIPOutputStream(b)) { o.write(1); } InputStream in = new GZIPInputStream(new ByteArrayInputStream(b.toByteArray())); in.close(); in.read(); }
    @Found("OutputStreamClosed")
    static void deflaterOutputStreamWrite() throws Exception { DeflaterOutputStream o = new DeflaterOutputStream(new FileOutputStream(file().toFile())); o.close(); o.write(1); }
    @Found("OutputStreamClosed")
    static void gzipOutputStreamWrite() throws Exception { GZIPOutputStream o = new GZIPOutputStream(new FileOutputStream(file().toFile())); o.close(); o.write(1); }
    @Found("OutputStreamClosed")
    static void zipOutputStreamWrite() throws Exception { ZipOutputStream o = new ZipOutputStream(new FileOutputStream(file().toFile())); o.putNextEntry(new ZipEntry("a")); o.close(); o.write(1); }
    @Found("OutputStreamClosed")
    static void zipOutputStreamFinish() throws Exception { ZipOutputStream o = new ZipOutputStream(new FileOutputStream(file().toFile())); o.putNextEntry(new ZipEntry("a")); o.close(); o.finish(); }
    @Found("ExecutorAfterShutdown")
    static void forkJoinInvokeAll() throws Exception { ForkJoinPool e = new ForkJoinPool(1); e.shutdown(); e.invokeAll(List.of(() -> 1)); }
    @Found("ExecutorAfterShutdown")
    static void forkJoinInvokeAny() throws Exception { ForkJoinPool e = new ForkJoinPool(1); e.shutdown(); e.invokeAny(List.of(() -> 1)); }
    @Found("ConditionLock")
    static void longConditionSignal() throws Exception { class Mine extends AbstractQueuedLongSynchronizer { @Override protected boolean isHeldExclusively() { return false; } ConditionObject condition() { return new ConditionObject(); } } Condition c = new Mine().condition(); c.signal(); }
    @Found("ConditionLock")
    static void longConditionSignalAll() throws Exception { class Mine extends AbstractQueuedLongSynchronizer { @Override protected boolean isHeldExclusively() { return false; } ConditionObject condition() { return new ConditionObject(); } } Condition c = new Mine().condition(); c.signalAll(); }
}
