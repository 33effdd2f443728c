import java.io.*;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;

/** The clauses of channels, selectors, sockets and file systems, one by one, as far as other snippets do not have them. */
final class ThrowsEveryChannel {
    static Path file() throws IOException {
        Path path = Files.createTempFile("throws", ".txt");
        path.toFile().deleteOnExit();
        return Files.writeString(path, "one\ntwo\nthree\n");
    }

    static InetSocketAddress here(int port) { return new InetSocketAddress(InetAddress.getLoopbackAddress(), port); }

    /** A channel whose connection has not been made yet: nobody answers at this address. */
    static SocketChannel connecting() throws IOException {
        SocketChannel c = SocketChannel.open();
        c.configureBlocking(false);
        if (c.connect(new InetSocketAddress("192.0.2.1", 9))) throw new IOException("connected");
        return c;
    }

    static Path archived() throws IOException {
        Path path = Files.createTempFile("throws", ".zip");
        Files.delete(path);
        try (FileSystem files = FileSystems.newFileSystem(path, Map.of("create", "true"))) { Files.writeString(files.getPath("a"), "a"); }
        path.toFile().deleteOnExit();
        return path;
    }

    static final CompletionHandler<FileLock, Object> NOBODY = new CompletionHandler<>() {
        @Override public void completed(FileLock result, Object with) { }
        @Override public void failed(Throwable e, Object with) { }
    };

    static final CompletionHandler<Void, Object> DONE = new CompletionHandler<>() {
        @Override public void completed(Void result, Object with) { }
        @Override public void failed(Throwable e, Object with) { }
    };

    static final CompletionHandler<AsynchronousSocketChannel, Object> TAKEN = new CompletionHandler<>() {
        @Override public void completed(AsynchronousSocketChannel result, Object with) { }
        @Override public void failed(Throwable e, Object with) { }
    };

    static final CompletionHandler<Integer, Object> COUNTED = new CompletionHandler<>() {
        @Override public void completed(Integer result, Object with) { }
        @Override public void failed(Throwable e, Object with) { }
    };

    /** A connection to a server that has answered nothing yet. */
    static HttpURLConnection connected(ServerSocket server) throws IOException {
        URL url = new URL("http://" + server.getInetAddress().getHostAddress() + ":" + server.getLocalPort() + "/");
        HttpURLConnection connection = (HttpURLConnection) url.openConnection();
        connection.connect();
        return connection;
    }

    /** A file system without files. */
    static final class Empty extends FileSystem {
        private boolean closed;
        @Override public void close() { closed = true; }
        @Override public boolean isOpen() { return !closed; }
        private <T> T none() { if (closed) throw new ClosedFileSystemException(); return null; }
        @Override public java.nio.file.spi.FileSystemProvider provider() { return null; }
        @Override public boolean isReadOnly() { return true; }
        @Override public String getSeparator() { return "/"; }
        @Override public Iterable<Path> getRootDirectories() { return List.of(); }
        @Override public Iterable<FileStore> getFileStores() { return none(); }
        @Override public Set<String> supportedFileAttributeViews() { return Set.of(); }
        @Override public Path getPath(String first, String... more) { throw new UnsupportedOperationException(); }
        @Override public PathMatcher getPathMatcher(String pattern) { return none(); }
        @Override public java.nio.file.attribute.UserPrincipalLookupService getUserPrincipalLookupService() { return none(); }
        @Override public WatchService newWatchService() { return none(); }
    }

    @Found("ChannelClosed")
    static void fileTruncate() throws Exception { FileChannel c = FileChannel.open(file(), StandardOpenOption.READ, StandardOpenOption.WRITE); c.close(); c.truncate(0); }
    @Found("ChannelClosed")
    static void fileForce() throws Exception { FileChannel c = FileChannel.open(file(), StandardOpenOption.READ, StandardOpenOption.WRITE); c.close(); c.force(true); }
    @Found("ChannelClosed")
    static void fileMap() throws Exception { FileChannel c = FileChannel.open(file(), StandardOpenOption.READ, StandardOpenOption.WRITE); c.close(); c.map(FileChannel.MapMode.READ_ONLY, 0, 1); }
    @Found("ChannelClosed")
    static void fileTransferFrom() throws Exception { FileChannel c = FileChannel.open(file(), StandardOpenOption.READ, StandardOpenOption.WRITE); c.close(); c.transferFrom(Channels.newChannel(new ByteArrayInputStream(new byte[1])), 0, 1); }
    @Found("ChannelClosed")
    static void fileTransferTo() throws Exception { FileChannel c = FileChannel.open(file(), StandardOpenOption.READ, StandardOpenOption.WRITE); c.close(); c.transferTo(0, 1, Channels.newChannel(new ByteArrayOutputStream())); }
    @Found("ChannelClosed")
    static void fileTryLock() throws Exception { FileChannel c = FileChannel.open(file(), StandardOpenOption.READ, StandardOpenOption.WRITE); c.close(); c.tryLock(); }
    @Found("ChannelClosed")
    static void fileLock() throws Exception { FileChannel c = FileChannel.open(file(), StandardOpenOption.READ, StandardOpenOption.WRITE); c.close(); c.lock(); }
    @Found("ChannelClosed")
    static void filePosition() throws Exception { FileChannel c = FileChannel.open(file(), StandardOpenOption.READ, StandardOpenOption.WRITE); c.close(); c.position(); }
    @Found("ChannelClosed")
    static void filePosition2() throws Exception { FileChannel c = FileChannel.open(file(), StandardOpenOption.READ, StandardOpenOption.WRITE); c.close(); c.position(1); }
    @Found("ChannelClosed")
    static void fileSize() throws Exception { FileChannel c = FileChannel.open(file(), StandardOpenOption.READ, StandardOpenOption.WRITE); c.close(); c.size(); }
    @Found("ChannelClosed")
    static void fileRead() throws Exception { FileChannel c = FileChannel.open(file(), StandardOpenOption.READ, StandardOpenOption.WRITE); c.close(); c.read(ByteBuffer.allocate(1)); }
    @Found("ChannelClosed")
    static void fileWrite() throws Exception { FileChannel c = FileChannel.open(file(), StandardOpenOption.READ, StandardOpenOption.WRITE); c.close(); c.write(ByteBuffer.allocate(1)); }
    @Found("ChannelState")
    static void writeOnlyLock() throws Exception { FileChannel c = FileChannel.open(file(), StandardOpenOption.WRITE); try (c) { c.lock(0, 1, true); }; }
    @Found("ChannelState")
    static void writeOnlyTryLock() throws Exception { FileChannel c = FileChannel.open(file(), StandardOpenOption.WRITE); try (c) { c.tryLock(0, 1, true); }; }
    @Found("ChannelState")
    static void writeOnlyTransferTo() throws Exception { FileChannel c = FileChannel.open(file(), StandardOpenOption.WRITE); try (c) { c.transferTo(0, 1, Channels.newChannel(new ByteArrayOutputStream())); }; }
    @Found("ChannelState")
    static void writeOnlyMap() throws Exception { FileChannel c = FileChannel.open(file(), StandardOpenOption.WRITE); try (c) { c.map(FileChannel.MapMode.READ_ONLY, 0, 1); }; }
    @Found("ChannelState")
    static void transferFromUnreadable() throws Exception { try (FileChannel c = FileChannel.open(file(), StandardOpenOption.WRITE); FileChannel d = FileChannel.open(file(), StandardOpenOption.WRITE)) { d.transferFrom(c, 0, 1); } }
    @Found("ChannelState")
    static void transferToUnwritable() throws Exception { try (FileChannel c = FileChannel.open(file()); FileChannel d = FileChannel.open(file())) { c.transferTo(0, 1, d); } }
    @Found("ChannelState")
    static void readOnlyLock() throws Exception { FileChannel c = FileChannel.open(file()); try (c) { c.lock(); }; }
    @Found("ChannelState")
    static void readOnlyTryLock() throws Exception { FileChannel c = FileChannel.open(file()); try (c) { c.tryLock(); }; }
    @Found("ChannelState")
    static void readOnlyMap() throws Exception { FileChannel c = FileChannel.open(file()); try (c) { c.map(FileChannel.MapMode.READ_WRITE, 0, 1); }; }
    @Found("ChannelState")
    static void readOnlyTransferFrom() throws Exception { FileChannel c = FileChannel.open(file()); try (c) { c.transferFrom(Channels.newChannel(new ByteArrayInputStream(new byte[1])), 0, 1); }; }
    @Found("ChannelState")
    static void triedLockTwice() throws Exception { try (FileChannel c = FileChannel.open(file(), StandardOpenOption.WRITE)) { c.lock(); c.tryLock(); } }
    @Found("ChannelClosed")
    static void asyncFileForce() throws Exception { AsynchronousFileChannel c = AsynchronousFileChannel.open(file(), StandardOpenOption.READ, StandardOpenOption.WRITE); c.close(); c.force(true); }
    @Found("ChannelClosed")
    static void asyncFileTruncate() throws Exception { AsynchronousFileChannel c = AsynchronousFileChannel.open(file(), StandardOpenOption.READ, StandardOpenOption.WRITE); c.close(); c.truncate(0); }
    @Found("ChannelClosed")
    static void asyncFileTryLock() throws Exception { AsynchronousFileChannel c = AsynchronousFileChannel.open(file(), StandardOpenOption.READ, StandardOpenOption.WRITE); c.close(); c.tryLock(); }
    @Found("ChannelClosed")
    static void asyncFileSize() throws Exception { AsynchronousFileChannel c = AsynchronousFileChannel.open(file(), StandardOpenOption.READ, StandardOpenOption.WRITE); c.close(); c.size(); }
    @Found("ChannelState")
    static void asyncWriteOnlyLock() throws Exception { AsynchronousFileChannel c = AsynchronousFileChannel.open(file(), StandardOpenOption.WRITE); try (c) { c.lock(0, 1, true, null, NOBODY); }; }
    @Found("ChannelState")
    static void asyncWriteOnlyRead() throws Exception { AsynchronousFileChannel c = AsynchronousFileChannel.open(file(), StandardOpenOption.WRITE); try (c) { c.read(ByteBuffer.allocate(1), 0); }; }
    @Found("ChannelState")
    static void asyncWriteOnlyTryLock() throws Exception { AsynchronousFileChannel c = AsynchronousFileChannel.open(file(), StandardOpenOption.WRITE); try (c) { c.tryLock(0, 1, true); }; }
    @Found("ChannelState")
    static void asyncReadOnlyLock() throws Exception { AsynchronousFileChannel c = AsynchronousFileChannel.open(file(), StandardOpenOption.READ); try (c) { c.lock(); }; }
    @Found("ChannelState")
    static void asyncReadOnlyTruncate() throws Exception { AsynchronousFileChannel c = AsynchronousFileChannel.open(file(), StandardOpenOption.READ); try (c) { c.truncate(0); }; }
    @Found("ChannelState")
    static void asyncReadOnlyTryLock() throws Exception { AsynchronousFileChannel c = AsynchronousFileChannel.open(file(), StandardOpenOption.READ); try (c) { c.tryLock(); }; }
    @Found("ChannelState")
    static void asyncReadOnlyWrite() throws Exception { AsynchronousFileChannel c = AsynchronousFileChannel.open(file(), StandardOpenOption.READ); try (c) { c.write(ByteBuffer.allocate(1), 0); }; }
    @Found("ChannelState")
    static void asyncLockedLock() throws Exception { AsynchronousFileChannel c = AsynchronousFileChannel.open(file(), StandardOpenOption.WRITE); try (c) { c.lock().get(); c.tryLock(); }; }
    @Found("ChannelState")
    static void asyncLockedTryLock() throws Exception { AsynchronousFileChannel c = AsynchronousFileChannel.open(file(), StandardOpenOption.WRITE); try (c) { c.tryLock(); c.lock(); }; }
    @Found("ChannelClosed")
    static void closedDatagramRead() throws Exception { DatagramChannel c = DatagramChannel.open(); c.close(); c.read(ByteBuffer.allocate(1)); }
    @Found("ChannelClosed")
    static void closedDatagramWrite() throws Exception { DatagramChannel c = DatagramChannel.open(); c.close(); c.write(ByteBuffer.allocate(1)); }
    @Found("ChannelClosed")
    static void closedDatagramConnect() throws Exception { DatagramChannel c = DatagramChannel.open(); c.close(); c.connect(here(9)); }
    @Found("ChannelClosed")
    static void closedDatagramReceive() throws Exception { DatagramChannel c = DatagramChannel.open(); c.close(); c.receive(ByteBuffer.allocate(1)); }
    @Found("ChannelClosed")
    static void closedDatagramSend() throws Exception { DatagramChannel c = DatagramChannel.open(); c.close(); c.send(ByteBuffer.allocate(1), here(9)); }
    @Found("ChannelClosed")
    static void closedDatagramGetRemoteAddress() throws Exception { DatagramChannel c = DatagramChannel.open(); c.close(); c.getRemoteAddress(); }
    @Found("ChannelClosed")
    static void closedDatagramGetLocalAddress() throws Exception { DatagramChannel c = DatagramChannel.open(); c.close(); c.getLocalAddress(); }
    @Found("ChannelClosed")
    static void closedDatagramBind() throws Exception { DatagramChannel c = DatagramChannel.open(); c.close(); c.bind(null); }
    @Found("ChannelClosed")
    static void closedDatagramGetOption() throws Exception { DatagramChannel c = DatagramChannel.open(); c.close(); c.getOption(StandardSocketOptions.SO_RCVBUF); }
    @Found("ChannelClosed")
    static void closedDatagramSetOption() throws Exception { DatagramChannel c = DatagramChannel.open(); c.close(); c.setOption(StandardSocketOptions.SO_RCVBUF, 9); }
    @Found("ChannelClosed")
    static void closedDatagramJoin() throws Exception { DatagramChannel c = DatagramChannel.open(); c.close(); c.join(InetAddress.getByName("230.0.0.1"), NetworkInterface.getByName("lo")); }
    @Found("ChannelClosed")
    static void closedSocketRead() throws Exception { SocketChannel c = SocketChannel.open(); c.close(); c.read(ByteBuffer.allocate(1)); }
    @Found("ChannelClosed")
    static void closedSocketWrite() throws Exception { SocketChannel c = SocketChannel.open(); c.close(); c.write(ByteBuffer.allocate(1)); }
    @Found("ChannelClosed")
    static void closedSocketConnect() throws Exception { SocketChannel c = SocketChannel.open(); c.close(); c.connect(here(9)); }
    @Found("ChannelClosed")
    static void closedSocketFinishConnect() throws Exception { SocketChannel c = SocketChannel.open(); c.close(); c.finishConnect(); }
    @Found("ChannelClosed")
    static void closedSocketShutdownInput() throws Exception { SocketChannel c = SocketChannel.open(); c.close(); c.shutdownInput(); }
    @Found("ChannelClosed")
    static void closedSocketShutdownOutput() throws Exception { SocketChannel c = SocketChannel.open(); c.close(); c.shutdownOutput(); }
    @Found("ChannelClosed")
    static void closedSocketGetRemoteAddress() throws Exception { SocketChannel c = SocketChannel.open(); c.close(); c.getRemoteAddress(); }
    @Found("ChannelClosed")
    static void closedSocketGetLocalAddress() throws Exception { SocketChannel c = SocketChannel.open(); c.close(); c.getLocalAddress(); }
    @Found("ChannelClosed")
    static void closedSocketBind() throws Exception { SocketChannel c = SocketChannel.open(); c.close(); c.bind(null); }
    @Found("ChannelClosed")
    static void closedSocketGetOption() throws Exception { SocketChannel c = SocketChannel.open(); c.close(); c.getOption(StandardSocketOptions.SO_RCVBUF); }
    @Found("ChannelClosed")
    static void closedSocketSetOption() throws Exception { SocketChannel c = SocketChannel.open(); c.close(); c.setOption(StandardSocketOptions.SO_RCVBUF, 9); }
    @Found("ChannelClosed")
    static void closedSocketConfigureBlocking() throws Exception { SocketChannel c = SocketChannel.open(); c.close(); c.configureBlocking(false); }
    @Found("ChannelClosed")
    static void registerClosed() throws Exception { SocketChannel c = SocketChannel.open(); c.configureBlocking(false); c.close(); try (Selector s = Selector.open()) { c.register(s, 0); } }
    @Found("ChannelClosed")
    static void closedServerAccept() throws Exception { ServerSocketChannel c = ServerSocketChannel.open(); c.close(); c.accept(); }
    @Found("ChannelClosed")
    static void closedServerBind() throws Exception { ServerSocketChannel c = ServerSocketChannel.open(); c.close(); c.bind(null); }
    @Found("ChannelClosed")
    static void closedServerGetLocalAddress() throws Exception { ServerSocketChannel c = ServerSocketChannel.open(); c.close(); c.getLocalAddress(); }
    @Found("ChannelClosed")
    static void closedServerGetOption() throws Exception { ServerSocketChannel c = ServerSocketChannel.open(); c.close(); c.getOption(StandardSocketOptions.SO_RCVBUF); }
    @Found("ChannelClosed")
    static void closedServerSetOption() throws Exception { ServerSocketChannel c = ServerSocketChannel.open(); c.close(); c.setOption(StandardSocketOptions.SO_RCVBUF, 9); }
    @Found("ChannelClosed")
    static void closedAsyncSocketShutdownInput() throws Exception { AsynchronousSocketChannel c = AsynchronousSocketChannel.open(); c.close(); c.shutdownInput(); }
    @Found("ChannelClosed")
    static void closedAsyncSocketShutdownOutput() throws Exception { AsynchronousSocketChannel c = AsynchronousSocketChannel.open(); c.close(); c.shutdownOutput(); }
    @Found("ChannelClosed")
    static void closedAsyncSocketGetRemoteAddress() throws Exception { AsynchronousSocketChannel c = AsynchronousSocketChannel.open(); c.close(); c.getRemoteAddress(); }
    @Found("ChannelClosed")
    static void closedAsyncSocketGetLocalAddress() throws Exception { AsynchronousSocketChannel c = AsynchronousSocketChannel.open(); c.close(); c.getLocalAddress(); }
    @Found("ChannelClosed")
    static void closedAsyncSocketBind() throws Exception { AsynchronousSocketChannel c = AsynchronousSocketChannel.open(); c.close(); c.bind(null); }
    @Found("ChannelClosed")
    static void closedAsyncSocketGetOption() throws Exception { AsynchronousSocketChannel c = AsynchronousSocketChannel.open(); c.close(); c.getOption(StandardSocketOptions.SO_RCVBUF); }
    @Found("ChannelClosed")
    static void closedAsyncSocketSetOption() throws Exception { AsynchronousSocketChannel c = AsynchronousSocketChannel.open(); c.close(); c.setOption(StandardSocketOptions.SO_RCVBUF, 9); }
    @Found("ChannelClosed")
    static void closedAsyncServerBind() throws Exception { AsynchronousServerSocketChannel c = AsynchronousServerSocketChannel.open(); c.close(); c.bind(null); }
    @Found("ChannelClosed")
    static void closedAsyncServerGetLocalAddress() throws Exception { AsynchronousServerSocketChannel c = AsynchronousServerSocketChannel.open(); c.close(); c.getLocalAddress(); }
    @Found("ChannelClosed")
    static void closedAsyncServerGetOption() throws Exception { AsynchronousServerSocketChannel c = AsynchronousServerSocketChannel.open(); c.close(); c.getOption(StandardSocketOptions.SO_RCVBUF); }
    @Found("ChannelClosed")
    static void closedAsyncServerSetOption() throws Exception { AsynchronousServerSocketChannel c = AsynchronousServerSocketChannel.open(); c.close(); c.setOption(StandardSocketOptions.SO_RCVBUF, 9); }
    @Found("ChannelState")
    static void serverBoundTwice() throws Exception { try (ServerSocketChannel c = ServerSocketChannel.open()) { c.bind(here(0)); c.bind(here(0)); } }
    @Found("ChannelState")
    static void socketBoundTwice() throws Exception { try (SocketChannel c = SocketChannel.open()) { c.bind(here(0)); c.bind(here(0)); } }
    @Found("ChannelState")
    static void datagramBoundTwice() throws Exception { try (DatagramChannel c = DatagramChannel.open()) { c.bind(here(0)); c.bind(here(0)); } }
    @Found("ChannelState")
    static void asyncSocketBoundTwice() throws Exception { try (AsynchronousSocketChannel c = AsynchronousSocketChannel.open()) { c.bind(here(0)); c.bind(here(0)); } }
    @Found("ChannelState")
    static void asyncServerBoundTwice() throws Exception { try (AsynchronousServerSocketChannel c = AsynchronousServerSocketChannel.open()) { c.bind(here(0)); c.bind(here(0)); } }
    @Found("ChannelState")
    static void unconnectedShutdownInput() throws Exception { SocketChannel c = SocketChannel.open(); try (c) { c.shutdownInput(); }; }
    @Found("ChannelState")
    static void unconnectedShutdownOutput() throws Exception { SocketChannel c = SocketChannel.open(); try (c) { c.shutdownOutput(); }; }
    @Found("ChannelState")
    static void unconnectedWrite() throws Exception { SocketChannel c = SocketChannel.open(); try (c) { c.write(ByteBuffer.allocate(1)); }; }
    @Found("ChannelState")
    static void unconnectedRead() throws Exception { SocketChannel c = SocketChannel.open(); try (c) { c.read(ByteBuffer.allocate(1)); }; }
    @Found("ChannelState")
    static void unconnectedAsyncShutdownInput() throws Exception { AsynchronousSocketChannel c = AsynchronousSocketChannel.open(); try (c) { c.shutdownInput(); }; }
    @Found("ChannelState")
    static void unconnectedAsyncShutdownOutput() throws Exception { AsynchronousSocketChannel c = AsynchronousSocketChannel.open(); try (c) { c.shutdownOutput(); }; }
    @Found("ChannelState")
    static void unconnectedAsyncWrite() throws Exception { AsynchronousSocketChannel c = AsynchronousSocketChannel.open(); try (c) { c.write(ByteBuffer.allocate(1)); }; }
    @Found("ChannelState")
    static void unconnectedAsyncRead() throws Exception { AsynchronousSocketChannel c = AsynchronousSocketChannel.open(); try (c) { c.read(ByteBuffer.allocate(1)); }; }
    @Found("ChannelState")
    static void unconnectedDatagramWrite() throws Exception { DatagramChannel c = DatagramChannel.open(); try (c) { c.write(ByteBuffer.allocate(1)); }; }
    @Found("ChannelState")
    static void unconnectedDatagramRead() throws Exception { DatagramChannel c = DatagramChannel.open(); try (c) { c.read(ByteBuffer.allocate(1)); }; }
    @Found("ChannelState")
    static void connectedTwice() throws Exception { try (ServerSocketChannel l = ServerSocketChannel.open().bind(here(0)); SocketChannel c = SocketChannel.open(l.getLocalAddress())) { c.connect(l.getLocalAddress()); } }
    @Found("ChannelState")
    static void datagramConnectedTwice() throws Exception { try (DatagramChannel c = DatagramChannel.open()) { c.connect(here(9)); c.connect(here(9)); } }
    @Found("ChannelState")
    static void datagramSentElsewhere() throws Exception { try (DatagramChannel c = DatagramChannel.open()) { c.connect(here(9)); c.send(ByteBuffer.allocate(1), here(10)); } }
    @Found("ChannelState")
    static void asyncConnectedTwice() throws Exception { try (ServerSocketChannel l = ServerSocketChannel.open().bind(here(0)); AsynchronousSocketChannel c = AsynchronousSocketChannel.open()) { c.connect(l.getLocalAddress()).get(); c.connect(l.getLocalAddress()); } }
    @Found("ChannelState")
    static void connectingConnect() throws Exception { SocketChannel c = connecting(); try (c) { c.connect(here(9)); }; }
    @Found("ChannelState")
    static void connectingBind() throws Exception { SocketChannel c = connecting(); try (c) { c.bind(here(0)); }; }
    @Found("ChannelState")
    static void asyncConnectingConnect() throws Exception { AsynchronousSocketChannel c = AsynchronousSocketChannel.open(); c.connect(new InetSocketAddress("192.0.2.1", 9)); try (c) { c.connect(here(9)); }; }
    @Found("ChannelState")
    static void asyncConnectingBind() throws Exception { AsynchronousSocketChannel c = AsynchronousSocketChannel.open(); c.connect(new InetSocketAddress("192.0.2.1", 9)); try (c) { c.bind(here(0)); }; }
    @Found("ChannelState")
    static void readPending() throws Exception { try (AsynchronousServerSocketChannel l = AsynchronousServerSocketChannel.open().bind(here(0)); AsynchronousSocketChannel c = AsynchronousSocketChannel.open()) { c.connect(l.getLocalAddress()).get(); c.read(ByteBuffer.allocate(1)); c.read(ByteBuffer.allocate(1)); } }
    @Found("ChannelState")
    static void writePending() throws Exception { try (AsynchronousServerSocketChannel l = AsynchronousServerSocketChannel.open().bind(here(0)); AsynchronousSocketChannel c = AsynchronousSocketChannel.open()) { c.connect(l.getLocalAddress()).get(); for (int i = 0; i < 1000; i++) c.write(ByteBuffer.allocate(1 << 20)); } }
    @Found("ChannelState")
    static void acceptPending() throws Exception { try (AsynchronousServerSocketChannel l = AsynchronousServerSocketChannel.open().bind(here(0))) { l.accept(); l.accept(); } }
    @Found("ChannelState")
    static void groupConnect() throws Exception { ExecutorService e = Executors.newCachedThreadPool(); AsynchronousChannelGroup g = AsynchronousChannelGroup.withCachedThreadPool(e, 1); AsynchronousSocketChannel c = AsynchronousSocketChannel.open(g); e.shutdownNow(); c.connect(new InetSocketAddress("255.255.255.255", 9), null, DONE); }
    @Found("ChannelState")
    static void groupAccept() throws Exception { ExecutorService e = Executors.newCachedThreadPool(); AsynchronousChannelGroup g = AsynchronousChannelGroup.withCachedThreadPool(e, 1); try (AsynchronousServerSocketChannel l = AsynchronousServerSocketChannel.open(g).bind(here(0)); SocketChannel o = SocketChannel.open(l.getLocalAddress())) { e.shutdownNow(); l.accept(null, TAKEN); } }
    @Found("ChannelState")
    static void groupRead() throws Exception { ExecutorService e = Executors.newCachedThreadPool(); AsynchronousChannelGroup g = AsynchronousChannelGroup.withCachedThreadPool(e, 1); try (ServerSocketChannel l = ServerSocketChannel.open().bind(here(0)); AsynchronousSocketChannel c = AsynchronousSocketChannel.open(g)) { c.connect(l.getLocalAddress()).get(); try (SocketChannel o = l.accept()) { o.write(ByteBuffer.allocate(9)); e.shutdownNow(); c.read(ByteBuffer.allocate(1), null, COUNTED); } } }
    @Found("ChannelState")
    static void groupWrite() throws Exception { ExecutorService e = Executors.newCachedThreadPool(); AsynchronousChannelGroup g = AsynchronousChannelGroup.withCachedThreadPool(e, 1); try (ServerSocketChannel l = ServerSocketChannel.open().bind(here(0)); AsynchronousSocketChannel c = AsynchronousSocketChannel.open(g)) { c.connect(l.getLocalAddress()).get(); try (SocketChannel o = l.accept()) { o.write(ByteBuffer.allocate(9)); e.shutdownNow(); c.write(ByteBuffer.allocate(1), null, COUNTED); } } }
    @Found("SocketClosed")
    static void socketOfClosedChannelGetOption() throws Exception { SocketChannel c = SocketChannel.open(); Socket s = c.socket(); s.close(); s.getOption(StandardSocketOptions.SO_KEEPALIVE); }
    @Found("SocketClosed")
    static void socketOfClosedChannelSetOption() throws Exception { SocketChannel c = SocketChannel.open(); Socket s = c.socket(); s.close(); s.setOption(StandardSocketOptions.SO_KEEPALIVE, true); }
    @Found("SocketClosed")
    static void socketOfClosedChannelGetInputStream() throws Exception { SocketChannel c = SocketChannel.open(); Socket s = c.socket(); s.close(); s.getInputStream(); }
    @Found("SocketClosed")
    static void socketOfClosedChannelSetSoTimeout() throws Exception { SocketChannel c = SocketChannel.open(); Socket s = c.socket(); s.close(); s.setSoTimeout(1); }
    @Found("SocketClosed")
    static void socketOfClosedChannelConnect() throws Exception { SocketChannel c = SocketChannel.open(); Socket s = c.socket(); s.close(); s.connect(here(9)); }
    @Found("SocketClosed")
    static void socketOfClosedChannelBind() throws Exception { SocketChannel c = SocketChannel.open(); Socket s = c.socket(); s.close(); s.bind(null); }
    @Found("ServerSocketClosed")
    static void serverOfClosedChannelGetOption() throws Exception { ServerSocketChannel c = ServerSocketChannel.open(); ServerSocket s = c.socket(); s.close(); s.getOption(StandardSocketOptions.SO_RCVBUF); }
    @Found("ServerSocketClosed")
    static void serverOfClosedChannelAccept() throws Exception { ServerSocketChannel c = ServerSocketChannel.open(); ServerSocket s = c.socket(); s.close(); s.accept(); }
    @Found("ServerSocketClosed")
    static void serverOfClosedChannelSetSoTimeout() throws Exception { ServerSocketChannel c = ServerSocketChannel.open(); ServerSocket s = c.socket(); s.close(); s.setSoTimeout(1); }
    @Found("ChannelState")
    static void membershipTwice() throws Exception { try (DatagramChannel c = DatagramChannel.open(StandardProtocolFamily.INET)) { InetAddress g = InetAddress.getByName("230.0.0.1"); NetworkInterface lo = NetworkInterface.getByName("lo"); c.bind(here(0)); c.join(g, lo); c.join(g, lo, InetAddress.getLoopbackAddress()); } }
    @Found("ChannelState")
    static void membershipBlock() throws Exception { try (DatagramChannel c = DatagramChannel.open(StandardProtocolFamily.INET)) { MembershipKey k = c.join(InetAddress.getByName("230.0.0.1"), NetworkInterface.getByName("lo")); k.drop(); k.block(InetAddress.getLoopbackAddress()); } }
    @Found("ChannelState")
    static void membershipUnblock() throws Exception { try (DatagramChannel c = DatagramChannel.open(StandardProtocolFamily.INET)) { MembershipKey k = c.join(InetAddress.getByName("230.0.0.1"), NetworkInterface.getByName("lo")); k.unblock(InetAddress.getLoopbackAddress()); } }
    @Found("ChannelState")
    static void registerCancelled() throws Exception { try (Selector s = Selector.open(); DatagramChannel c = DatagramChannel.open()) { c.configureBlocking(false); c.register(s, SelectionKey.OP_READ).cancel(); c.register(s, SelectionKey.OP_READ); } }
    @Found("ChannelState")
    static void blockingRegistered() throws Exception { try (Selector s = Selector.open(); DatagramChannel c = DatagramChannel.open()) { c.configureBlocking(false); c.register(s, SelectionKey.OP_READ); c.configureBlocking(true); } }
    @Found("ChannelState")
    static void socketOfChannel() throws Exception { try (SocketChannel c = SocketChannel.open()) { c.configureBlocking(false); c.socket().connect(here(9)); } }
    @Found("ChannelState")
    static void serverOfChannel() throws Exception { try (ServerSocketChannel c = ServerSocketChannel.open().bind(here(0))) { c.configureBlocking(false); c.socket().accept(); } }
    @Found("ChannelState")
    static void datagramOfChannelSend() throws Exception { DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); DatagramChannel c = DatagramChannel.open(); c.configureBlocking(false); DatagramSocket s = c.socket(); try (c) { s.send(p); }; }
    @Found("ChannelState")
    static void datagramOfChannelReceive() throws Exception { DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); DatagramChannel c = DatagramChannel.open(); c.configureBlocking(false); DatagramSocket s = c.socket(); try (c) { s.receive(p); }; }
    @Found("SelectionKeyCancelled")
    static void keyInterestOpsAnd() throws Exception { Selector s = Selector.open(); SocketChannel c = SocketChannel.open(); c.configureBlocking(false); SelectionKey k = c.register(s, SelectionKey.OP_CONNECT); k.cancel(); c.close(); s.close(); k.interestOpsAnd(0); }
    @Found("SelectionKeyCancelled")
    static void keyInterestOpsOr() throws Exception { Selector s = Selector.open(); SocketChannel c = SocketChannel.open(); c.configureBlocking(false); SelectionKey k = c.register(s, SelectionKey.OP_CONNECT); k.cancel(); c.close(); s.close(); k.interestOpsOr(1); }
    @Found("SelectionKeyCancelled")
    static void keyIsAcceptable() throws Exception { Selector s = Selector.open(); SocketChannel c = SocketChannel.open(); c.configureBlocking(false); SelectionKey k = c.register(s, SelectionKey.OP_CONNECT); k.cancel(); c.close(); s.close(); k.isAcceptable(); }
    @Found("SelectionKeyCancelled")
    static void keyIsConnectable() throws Exception { Selector s = Selector.open(); SocketChannel c = SocketChannel.open(); c.configureBlocking(false); SelectionKey k = c.register(s, SelectionKey.OP_CONNECT); k.cancel(); c.close(); s.close(); k.isConnectable(); }
    @Found("SelectionKeyCancelled")
    static void keyIsWritable() throws Exception { Selector s = Selector.open(); SocketChannel c = SocketChannel.open(); c.configureBlocking(false); SelectionKey k = c.register(s, SelectionKey.OP_CONNECT); k.cancel(); c.close(); s.close(); k.isWritable(); }
    @Found("SelectionKeyCancelled")
    static void keyIsReadable() throws Exception { Selector s = Selector.open(); SocketChannel c = SocketChannel.open(); c.configureBlocking(false); SelectionKey k = c.register(s, SelectionKey.OP_CONNECT); k.cancel(); c.close(); s.close(); k.isReadable(); }
    @Found("SelectionKeyCancelled")
    static void keyReadyOps() throws Exception { Selector s = Selector.open(); SocketChannel c = SocketChannel.open(); c.configureBlocking(false); SelectionKey k = c.register(s, SelectionKey.OP_CONNECT); k.cancel(); c.close(); s.close(); k.readyOps(); }
    @Found("SelectionKeyCancelled")
    static void keyInterestOps() throws Exception { Selector s = Selector.open(); SocketChannel c = SocketChannel.open(); c.configureBlocking(false); SelectionKey k = c.register(s, SelectionKey.OP_CONNECT); k.cancel(); c.close(); s.close(); k.interestOps(); }
    @Found("SelectionKeyCancelled")
    static void keyInterestOps2() throws Exception { Selector s = Selector.open(); SocketChannel c = SocketChannel.open(); c.configureBlocking(false); SelectionKey k = c.register(s, SelectionKey.OP_CONNECT); k.cancel(); c.close(); s.close(); k.interestOps(0); }
    @Found("SelectorClosed")
    static void selectorSelect() throws Exception { Selector s = Selector.open(); s.close(); s.select(); }
    @Found("SelectorClosed")
    static void selectorSelectedKeys() throws Exception { Selector s = Selector.open(); s.close(); s.selectedKeys(); }
    @Found("SelectorClosed")
    static void selectorSelect2() throws Exception { Selector s = Selector.open(); s.close(); s.select(1); }
    @Found("SelectorClosed")
    static void selectorKeys() throws Exception { Selector s = Selector.open(); s.close(); s.keys(); }
    @Found("SelectorClosed")
    static void selectorSelect3() throws Exception { Selector s = Selector.open(); s.close(); s.select(k -> { }); }
    @Found("SelectorClosed")
    static void selectorSelectNow() throws Exception { Selector s = Selector.open(); s.close(); s.selectNow(k -> { }); }
    @Found("DirectoryStreamReused")
    static void directoryDeleteDirectory() throws Exception { Path d = Files.createTempDirectory("throws"); d.toFile().deleteOnExit(); SecureDirectoryStream<Path> s = (SecureDirectoryStream<Path>) Files.newDirectoryStream(d); s.close(); Path p = Path.of("x"); s.deleteDirectory(p); }
    @Found("DirectoryStreamReused")
    static void directoryDeleteFile() throws Exception { Path d = Files.createTempDirectory("throws"); d.toFile().deleteOnExit(); SecureDirectoryStream<Path> s = (SecureDirectoryStream<Path>) Files.newDirectoryStream(d); s.close(); Path p = Path.of("x"); s.deleteFile(p); }
    @Found("DirectoryStreamReused")
    static void directoryMove() throws Exception { Path d = Files.createTempDirectory("throws"); d.toFile().deleteOnExit(); SecureDirectoryStream<Path> s = (SecureDirectoryStream<Path>) Files.newDirectoryStream(d); s.close(); Path p = Path.of("x"); s.move(p, s, p); }
    @Found("DirectoryStreamReused")
    static void directoryNewByteChannel() throws Exception { Path d = Files.createTempDirectory("throws"); d.toFile().deleteOnExit(); SecureDirectoryStream<Path> s = (SecureDirectoryStream<Path>) Files.newDirectoryStream(d); s.close(); Path p = Path.of("x"); s.newByteChannel(p, Set.of()); }
    @Found("DirectoryStreamReused")
    static void directoryNewDirectoryStream() throws Exception { Path d = Files.createTempDirectory("throws"); d.toFile().deleteOnExit(); SecureDirectoryStream<Path> s = (SecureDirectoryStream<Path>) Files.newDirectoryStream(d); s.close(); Path p = Path.of("x"); s.newDirectoryStream(p); }
    @Found("DirectoryStreamReused")
    static void directoryIterator() throws Exception { Path d = Files.createTempDirectory("throws"); d.toFile().deleteOnExit(); SecureDirectoryStream<Path> s = (SecureDirectoryStream<Path>) Files.newDirectoryStream(d); s.close(); Path p = Path.of("x"); s.iterator(); }
    @Found("FileSystemClosed")
    static void filesNewInputStream() throws Exception { FileSystem f = FileSystems.newFileSystem(archived(), (ClassLoader) null); Path p = f.getPath("a"), q = f.getPath("b"); f.close(); Files.newInputStream(p); }
    @Found("FileSystemClosed")
    static void filesNewOutputStream() throws Exception { FileSystem f = FileSystems.newFileSystem(archived(), (ClassLoader) null); Path p = f.getPath("a"), q = f.getPath("b"); f.close(); Files.newOutputStream(q); }
    @Found("FileSystemClosed")
    static void filesNewByteChannel() throws Exception { FileSystem f = FileSystems.newFileSystem(archived(), (ClassLoader) null); Path p = f.getPath("a"), q = f.getPath("b"); f.close(); Files.newByteChannel(p); }
    @Found("FileSystemClosed")
    static void filesReadString() throws Exception { FileSystem f = FileSystems.newFileSystem(archived(), (ClassLoader) null); Path p = f.getPath("a"), q = f.getPath("b"); f.close(); Files.readString(p); }
    @Found("FileSystemClosed")
    static void filesReadAllBytes() throws Exception { FileSystem f = FileSystems.newFileSystem(archived(), (ClassLoader) null); Path p = f.getPath("a"), q = f.getPath("b"); f.close(); Files.readAllBytes(p); }
    @Found("FileSystemClosed")
    static void filesWriteString() throws Exception { FileSystem f = FileSystems.newFileSystem(archived(), (ClassLoader) null); Path p = f.getPath("a"), q = f.getPath("b"); f.close(); Files.writeString(q, "x"); }
    @Found("FileSystemClosed")
    static void filesWrite() throws Exception { FileSystem f = FileSystems.newFileSystem(archived(), (ClassLoader) null); Path p = f.getPath("a"), q = f.getPath("b"); f.close(); Files.write(q, new byte[1]); }
    @Found("FileSystemClosed")
    static void filesWalk() throws Exception { FileSystem f = FileSystems.newFileSystem(archived(), (ClassLoader) null); Path p = f.getPath("a"), q = f.getPath("b"); f.close(); Files.walk(p); }
    @Found("FileSystemClosed")
    static void filesLines() throws Exception { FileSystem f = FileSystems.newFileSystem(archived(), (ClassLoader) null); Path p = f.getPath("a"), q = f.getPath("b"); f.close(); Files.lines(p); }
    @Found("FileSystemClosed")
    static void filesCreateDirectory() throws Exception { FileSystem f = FileSystems.newFileSystem(archived(), (ClassLoader) null); Path p = f.getPath("a"), q = f.getPath("b"); f.close(); Files.createDirectory(q); }
    @Found("FileSystemClosed")
    static void filesCreateFile() throws Exception { FileSystem f = FileSystems.newFileSystem(archived(), (ClassLoader) null); Path p = f.getPath("a"), q = f.getPath("b"); f.close(); Files.createFile(q); }
    @Found("FileSystemClosed")
    static void filesSize() throws Exception { FileSystem f = FileSystems.newFileSystem(archived(), (ClassLoader) null); Path p = f.getPath("a"), q = f.getPath("b"); f.close(); Files.size(p); }
    @Found("WatchServiceClosed")
    static void watcherPoll() throws Exception { WatchService w = FileSystems.getDefault().newWatchService(); w.close(); w.poll(); }
    @Found("WatchServiceClosed")
    static void watcherTake() throws Exception { WatchService w = FileSystems.getDefault().newWatchService(); w.close(); w.take(); }
    @Found("WatchServiceClosed")
    static void watcherPoll2() throws Exception { WatchService w = FileSystems.getDefault().newWatchService(); w.close(); w.poll(1, TimeUnit.SECONDS); }
    @Found("WatchServiceClosed")
    static void watcherOf() throws Exception { WatchService w = FileSystems.getDefault().newWatchService(); w.close(); Path.of(".").register(w, StandardWatchEventKinds.ENTRY_CREATE); }
    @Found("SocketClosed")
    static void socketGetOutputStream() throws Exception { Socket s = new Socket(); s.close(); s.getOutputStream(); }
    @Found("SocketClosed")
    static void socketGetInputStream() throws Exception { Socket s = new Socket(); s.close(); s.getInputStream(); }
    @Found("SocketClosed")
    static void socketSendUrgentData() throws Exception { Socket s = new Socket(); s.close(); s.sendUrgentData(1); }
    @Found("SocketClosed")
    static void socketSetOption() throws Exception { Socket s = new Socket(); s.close(); s.setOption(StandardSocketOptions.SO_KEEPALIVE, true); }
    @Found("SocketClosed")
    static void socketGetOption() throws Exception { Socket s = new Socket(); s.close(); s.getOption(StandardSocketOptions.SO_KEEPALIVE); }
    @Found("SocketClosed")
    static void socketShutdownInput() throws Exception { Socket s = new Socket(); s.close(); s.shutdownInput(); }
    @Found("SocketClosed")
    static void socketShutdownOutput() throws Exception { Socket s = new Socket(); s.close(); s.shutdownOutput(); }
    @Found("SocketClosed")
    static void socketConnect() throws Exception { Socket s = new Socket(); s.close(); s.connect(here(9)); }
    @Found("SocketClosed")
    static void socketBind() throws Exception { Socket s = new Socket(); s.close(); s.bind(null); }
    @Found("SocketClosed")
    static void socketGetKeepAlive() throws Exception { Socket s = new Socket(); s.close(); s.getKeepAlive(); }
    @Found("SocketClosed")
    static void socketGetOOBInline() throws Exception { Socket s = new Socket(); s.close(); s.getOOBInline(); }
    @Found("SocketClosed")
    static void socketGetReceiveBufferSize() throws Exception { Socket s = new Socket(); s.close(); s.getReceiveBufferSize(); }
    @Found("SocketClosed")
    static void socketGetReuseAddress() throws Exception { Socket s = new Socket(); s.close(); s.getReuseAddress(); }
    @Found("SocketClosed")
    static void socketGetSendBufferSize() throws Exception { Socket s = new Socket(); s.close(); s.getSendBufferSize(); }
    @Found("SocketClosed")
    static void socketGetSoLinger() throws Exception { Socket s = new Socket(); s.close(); s.getSoLinger(); }
    @Found("SocketClosed")
    static void socketGetSoTimeout() throws Exception { Socket s = new Socket(); s.close(); s.getSoTimeout(); }
    @Found("SocketClosed")
    static void socketGetTcpNoDelay() throws Exception { Socket s = new Socket(); s.close(); s.getTcpNoDelay(); }
    @Found("SocketClosed")
    static void socketSetKeepAlive() throws Exception { Socket s = new Socket(); s.close(); s.setKeepAlive(true); }
    @Found("SocketClosed")
    static void socketSetOOBInline() throws Exception { Socket s = new Socket(); s.close(); s.setOOBInline(true); }
    @Found("SocketClosed")
    static void socketSetReceiveBufferSize() throws Exception { Socket s = new Socket(); s.close(); s.setReceiveBufferSize(9); }
    @Found("SocketClosed")
    static void socketSetReuseAddress() throws Exception { Socket s = new Socket(); s.close(); s.setReuseAddress(true); }
    @Found("SocketClosed")
    static void socketSetSendBufferSize() throws Exception { Socket s = new Socket(); s.close(); s.setSendBufferSize(9); }
    @Found("SocketClosed")
    static void socketSetSoLinger() throws Exception { Socket s = new Socket(); s.close(); s.setSoLinger(true, 1); }
    @Found("SocketClosed")
    static void socketSetSoTimeout() throws Exception { Socket s = new Socket(); s.close(); s.setSoTimeout(1); }
    @Found("SocketClosed")
    static void socketSetTcpNoDelay() throws Exception { Socket s = new Socket(); s.close(); s.setTcpNoDelay(true); }
    @Found("SocketClosed")
    static void socketSetTrafficClass() throws Exception { Socket s = new Socket(); s.close(); s.setTrafficClass(0); }
    @Found("SocketStreamClosed")
    static void closedRead() throws Exception { try (ServerSocket l = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) { Socket s = new Socket(InetAddress.getLoopbackAddress(), l.getLocalPort()); InputStream i = s.getInputStream(); s.close(); i.read(); } }
    @Found("SocketStreamClosed")
    static void closedAvailable() throws Exception { try (ServerSocket l = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) { Socket s = new Socket(InetAddress.getLoopbackAddress(), l.getLocalPort()); InputStream i = s.getInputStream(); s.close(); i.available(); } }
    @Found("SocketStreamClosed")
    static void closedSkip() throws Exception { try (ServerSocket l = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) { Socket s = new Socket(InetAddress.getLoopbackAddress(), l.getLocalPort()); InputStream i = s.getInputStream(); s.close(); i.skip(1); } }
    @Found("SocketStreamClosed")
    static void closedReadallbytes() throws Exception { try (ServerSocket l = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) { Socket s = new Socket(InetAddress.getLoopbackAddress(), l.getLocalPort()); InputStream i = s.getInputStream(); s.close(); i.readAllBytes(); } }
    @Found("SocketStreamClosed")
    static void closedRead2() throws Exception { try (ServerSocket l = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) { Socket s = new Socket(InetAddress.getLoopbackAddress(), l.getLocalPort()); InputStream i = s.getInputStream(); s.close(); i.read(new byte[1]); } }
    @Found("SocketStreamClosed")
    static void closedTransferto() throws Exception { try (ServerSocket l = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) { Socket s = new Socket(InetAddress.getLoopbackAddress(), l.getLocalPort()); InputStream i = s.getInputStream(); s.close(); i.transferTo(OutputStream.nullOutputStream()); } }
    @Found("SocketStreamClosed")
    static void closedWrite() throws Exception { try (ServerSocket l = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) { Socket s = new Socket(InetAddress.getLoopbackAddress(), l.getLocalPort()); OutputStream o = s.getOutputStream(); s.close(); o.write(1); } }
    @Found("SocketStreamClosed")
    static void closedWrite2() throws Exception { try (ServerSocket l = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) { Socket s = new Socket(InetAddress.getLoopbackAddress(), l.getLocalPort()); OutputStream o = s.getOutputStream(); s.close(); o.write(new byte[1]); } }
    @Found("SocketStreamClosed")
    static void closedWrite3() throws Exception { try (ServerSocket l = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) { Socket s = new Socket(InetAddress.getLoopbackAddress(), l.getLocalPort()); OutputStream o = s.getOutputStream(); s.close(); o.write(new byte[3], 0, 1); } }
    @Found("SocketStreamClosed")
    static void closedChannelOfSocket() throws Exception { try (ServerSocketChannel l = ServerSocketChannel.open().bind(here(0)); SocketChannel c = SocketChannel.open(l.getLocalAddress())) { Socket s = c.socket(); InputStream i = s.getInputStream(); s.close(); i.read(); } }
    @Found("SocketOutputShut")
    static void shutWrite() throws Exception { try (ServerSocket l = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) { Socket s = new Socket(InetAddress.getLoopbackAddress(), l.getLocalPort()); try (s) { OutputStream o = s.getOutputStream(); s.shutdownOutput(); o.write(1); } } }
    @Found("SocketStreamClosed")
    static void shutAndClosed() throws Exception { try (ServerSocket l = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) { Socket s = new Socket(InetAddress.getLoopbackAddress(), l.getLocalPort()); OutputStream o = s.getOutputStream(); s.shutdownOutput(); s.close(); o.write(1); } }
    @Found("InputStreamClosed")
    static void closedByItself() throws Exception { try (ServerSocket l = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) { Socket s = new Socket(InetAddress.getLoopbackAddress(), l.getLocalPort()); InputStream i = s.getInputStream(); i.close(); s.close(); i.read(); } }
    @Found("DatagramSocketClosed")
    static void datagramBind() throws Exception { DatagramSocket s = new DatagramSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.bind(null); }
    @Found("DatagramSocketClosed")
    static void datagramGetOption() throws Exception { DatagramSocket s = new DatagramSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.getOption(StandardSocketOptions.SO_RCVBUF); }
    @Found("DatagramSocketClosed")
    static void datagramSetOption() throws Exception { DatagramSocket s = new DatagramSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.setOption(StandardSocketOptions.SO_RCVBUF, 9); }
    @Found("DatagramSocketClosed")
    static void datagramJoinGroup() throws Exception { DatagramSocket s = new DatagramSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.joinGroup(new InetSocketAddress("230.0.0.1", 0), NetworkInterface.getByName("lo")); }
    @Found("DatagramSocketClosed")
    static void datagramLeaveGroup() throws Exception { DatagramSocket s = new DatagramSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.leaveGroup(new InetSocketAddress("230.0.0.1", 0), NetworkInterface.getByName("lo")); }
    @Found("DatagramSocketClosed")
    static void datagramReceive() throws Exception { DatagramSocket s = new DatagramSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.receive(p); }
    @Found("DatagramSocketClosed")
    static void datagramSend() throws Exception { DatagramSocket s = new DatagramSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.send(p); }
    @Found("DatagramSocketClosed")
    static void datagramGetBroadcast() throws Exception { DatagramSocket s = new DatagramSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.getBroadcast(); }
    @Found("DatagramSocketClosed")
    static void datagramGetReceiveBufferSize() throws Exception { DatagramSocket s = new DatagramSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.getReceiveBufferSize(); }
    @Found("DatagramSocketClosed")
    static void datagramGetReuseAddress() throws Exception { DatagramSocket s = new DatagramSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.getReuseAddress(); }
    @Found("DatagramSocketClosed")
    static void datagramGetSendBufferSize() throws Exception { DatagramSocket s = new DatagramSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.getSendBufferSize(); }
    @Found("DatagramSocketClosed")
    static void datagramGetSoTimeout() throws Exception { DatagramSocket s = new DatagramSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.getSoTimeout(); }
    @Found("DatagramSocketClosed")
    static void datagramGetTrafficClass() throws Exception { DatagramSocket s = new DatagramSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.getTrafficClass(); }
    @Found("DatagramSocketClosed")
    static void datagramSetBroadcast() throws Exception { DatagramSocket s = new DatagramSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.setBroadcast(true); }
    @Found("DatagramSocketClosed")
    static void datagramSetReceiveBufferSize() throws Exception { DatagramSocket s = new DatagramSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.setReceiveBufferSize(9); }
    @Found("DatagramSocketClosed")
    static void datagramSetReuseAddress() throws Exception { DatagramSocket s = new DatagramSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.setReuseAddress(true); }
    @Found("DatagramSocketClosed")
    static void datagramSetSendBufferSize() throws Exception { DatagramSocket s = new DatagramSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.setSendBufferSize(9); }
    @Found("DatagramSocketClosed")
    static void datagramSetSoTimeout() throws Exception { DatagramSocket s = new DatagramSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.setSoTimeout(1); }
    @Found("DatagramSocketClosed")
    static void datagramSetTrafficClass() throws Exception { DatagramSocket s = new DatagramSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.setTrafficClass(0); }
    @Found("DatagramSocketClosed")
    static void multicastGetInterface() throws Exception { MulticastSocket s = new MulticastSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.getInterface(); }
    @Found("DatagramSocketClosed")
    static void multicastGetLoopbackMode() throws Exception { MulticastSocket s = new MulticastSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.getLoopbackMode(); }
    @Found("DatagramSocketClosed")
    static void multicastGetNetworkInterface() throws Exception { MulticastSocket s = new MulticastSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.getNetworkInterface(); }
    @Found("DatagramSocketClosed")
    static void multicastGetOption() throws Exception { MulticastSocket s = new MulticastSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.getOption(StandardSocketOptions.SO_RCVBUF); }
    @Found("DatagramSocketClosed")
    static void multicastGetTTL() throws Exception { MulticastSocket s = new MulticastSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.getTTL(); }
    @Found("DatagramSocketClosed")
    static void multicastGetTimeToLive() throws Exception { MulticastSocket s = new MulticastSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.getTimeToLive(); }
    @Found("DatagramSocketClosed")
    static void multicastJoinGroup() throws Exception { MulticastSocket s = new MulticastSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.joinGroup(InetAddress.getByName("230.0.0.1")); }
    @Found("DatagramSocketClosed")
    static void multicastLeaveGroup() throws Exception { MulticastSocket s = new MulticastSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.leaveGroup(InetAddress.getByName("230.0.0.1")); }
    @Found("DatagramSocketClosed")
    static void multicastSend() throws Exception { MulticastSocket s = new MulticastSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.send(p); }
    @Found("DatagramSocketClosed")
    static void multicastSetInterface() throws Exception { MulticastSocket s = new MulticastSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.setInterface(InetAddress.getLoopbackAddress()); }
    @Found("DatagramSocketClosed")
    static void multicastSetLoopbackMode() throws Exception { MulticastSocket s = new MulticastSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.setLoopbackMode(true); }
    @Found("DatagramSocketClosed")
    static void multicastSetNetworkInterface() throws Exception { MulticastSocket s = new MulticastSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.setNetworkInterface(NetworkInterface.getByName("lo")); }
    @Found("DatagramSocketClosed")
    static void multicastSetOption() throws Exception { MulticastSocket s = new MulticastSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.setOption(StandardSocketOptions.SO_RCVBUF, 9); }
    @Found("DatagramSocketClosed")
    static void multicastSetTTL() throws Exception { MulticastSocket s = new MulticastSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.setTTL((byte) 1); }
    @Found("DatagramSocketClosed")
    static void multicastSetTimeToLive() throws Exception { MulticastSocket s = new MulticastSocket(); s.close(); DatagramPacket p = new DatagramPacket(new byte[1], 1, here(9)); s.setTimeToLive(1); }
    @Found("ServerSocketClosed")
    static void serverBind() throws Exception { ServerSocket s = new ServerSocket(); s.close(); s.bind(null); }
    @Found("ServerSocketClosed")
    static void serverAccept() throws Exception { ServerSocket s = new ServerSocket(); s.close(); s.accept(); }
    @Found("ServerSocketClosed")
    static void serverGetOption() throws Exception { ServerSocket s = new ServerSocket(); s.close(); s.getOption(StandardSocketOptions.SO_RCVBUF); }
    @Found("ServerSocketClosed")
    static void serverSetOption() throws Exception { ServerSocket s = new ServerSocket(); s.close(); s.setOption(StandardSocketOptions.SO_RCVBUF, 9); }
    @Found("ServerSocketClosed")
    static void serverGetReceiveBufferSize() throws Exception { ServerSocket s = new ServerSocket(); s.close(); s.getReceiveBufferSize(); }
    @Found("ServerSocketClosed")
    static void serverGetReuseAddress() throws Exception { ServerSocket s = new ServerSocket(); s.close(); s.getReuseAddress(); }
    @Found("ServerSocketClosed")
    static void serverGetSoTimeout() throws Exception { ServerSocket s = new ServerSocket(); s.close(); s.getSoTimeout(); }
    @Found("ServerSocketClosed")
    static void serverSetReceiveBufferSize() throws Exception { ServerSocket s = new ServerSocket(); s.close(); s.setReceiveBufferSize(9); }
    @Found("ServerSocketClosed")
    static void serverSetReuseAddress() throws Exception { ServerSocket s = new ServerSocket(); s.close(); s.setReuseAddress(true); }
    @Found("ServerSocketClosed")
    static void serverSetSoTimeout() throws Exception { ServerSocket s = new ServerSocket(); s.close(); s.setSoTimeout(1); }
    @Found("UrlConnectionLate")
    static void connectionAddRequestProperty() throws Exception { Path f = file(); URLConnection c = f.toUri().toURL().openConnection(); c.connect(); c.addRequestProperty("a", "b"); }
    @Found("UrlConnectionLate")
    static void connectionGetRequestProperties() throws Exception { Path f = file(); URLConnection c = f.toUri().toURL().openConnection(); c.connect(); c.getRequestProperties(); }
    @Found("UrlConnectionLate")
    static void connectionGetRequestProperty() throws Exception { Path f = file(); URLConnection c = f.toUri().toURL().openConnection(); c.connect(); c.getRequestProperty("a"); }
    @Found("UrlConnectionLate")
    static void connectionSetAllowUserInteraction() throws Exception { Path f = file(); URLConnection c = f.toUri().toURL().openConnection(); c.connect(); c.setAllowUserInteraction(true); }
    @Found("UrlConnectionLate")
    static void connectionSetDoInput() throws Exception { Path f = file(); URLConnection c = f.toUri().toURL().openConnection(); c.connect(); c.setDoInput(true); }
    @Found("UrlConnectionLate")
    static void connectionSetDoOutput() throws Exception { Path f = file(); URLConnection c = f.toUri().toURL().openConnection(); c.connect(); c.setDoOutput(true); }
    @Found("UrlConnectionLate")
    static void connectionSetIfModifiedSince() throws Exception { Path f = file(); URLConnection c = f.toUri().toURL().openConnection(); c.connect(); c.setIfModifiedSince(1); }
    @Found("UrlConnectionLate")
    static void connectionSetRequestProperty() throws Exception { Path f = file(); URLConnection c = f.toUri().toURL().openConnection(); c.connect(); c.setRequestProperty("a", "b"); }
    @Found("UrlConnectionLate")
    static void connectionSetUseCaches() throws Exception { Path f = file(); URLConnection c = f.toUri().toURL().openConnection(); c.connect(); c.setUseCaches(true); }
    @Found("UrlConnectionLate")
    static void httpAuthenticator() throws Exception { try (ServerSocket l = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) { HttpURLConnection c = connected(l); c.setAuthenticator(null); } }
    @Found("UrlConnectionLate")
    static void httpChunkedStreamingMode() throws Exception { try (ServerSocket l = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) { HttpURLConnection c = connected(l); c.setChunkedStreamingMode(9); } }
    @Found("UrlConnectionLate")
    static void httpFixedLengthStreamingMode() throws Exception { try (ServerSocket l = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) { HttpURLConnection c = connected(l); c.setFixedLengthStreamingMode(9); } }
    @Found("UrlConnectionLate")
    static void httpRequestMethod() throws Exception { try (ServerSocket l = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) { HttpURLConnection c = connected(l); c.setRequestMethod("POST"); } }
    @Found("UrlConnectionLate")
    static void httpFixedLengthStreamingMode2() throws Exception { try (ServerSocket l = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) { HttpURLConnection c = connected(l); c.setFixedLengthStreamingMode(9L); } }
    @Found("UrlConnectionLate")
    static void methodLate() throws Exception { HttpURLConnection c = new HttpURLConnection(new URL("http://localhost/")) { @Override public void connect() { connected = true; } @Override public void disconnect() { } @Override public boolean usingProxy() { return false; } }; c.connect(); c.setRequestMethod("POST"); }
    @Found("FileSystemClosed")
    static void fileSystemGetFileStores() throws Exception { FileSystem f = new Empty(); f.close(); f.getFileStores(); }
    @Found("FileSystemClosed")
    static void fileSystemGetPathMatcher() throws Exception { FileSystem f = new Empty(); f.close(); f.getPathMatcher("glob:*"); }
    @Found("FileSystemClosed")
    static void fileSystemNewWatchService() throws Exception { FileSystem f = new Empty(); f.close(); f.newWatchService(); }
}
