import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.LineBasedFrameDecoder;
import io.netty.handler.codec.string.StringDecoder;
import io.netty.handler.codec.string.StringEncoder;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/** A server and clients of Netty that exchange lines on the loopback interface. */
public class NettyEcho {
    static final int CLIENTS = 8;
    static final int LINES = 2000;

    static abstract class Lines extends ChannelInitializer<SocketChannel> {
        abstract void line(ChannelHandlerContext context, String line);

        @Override
        protected void initChannel(SocketChannel channel) {
            channel.pipeline().addLast(new LineBasedFrameDecoder(1024), new StringDecoder(), new StringEncoder(),
                    new SimpleChannelInboundHandler<String>() {
                        @Override
                        protected void channelRead0(ChannelHandlerContext context, String line) {
                            line(context, line);
                        }
                    });
        }
    }

    public static void main(String[] args) throws Exception {
        NioEventLoopGroup group = new NioEventLoopGroup(4);
        Channel server = new ServerBootstrap().group(group).channel(NioServerSocketChannel.class)
                .childHandler(new Lines() {
                    @Override
                    void line(ChannelHandlerContext context, String line) {
                        context.writeAndFlush("echo " + line + "\n");
                    }
                }).bind("127.0.0.1", 0).sync().channel();
        int port = ((InetSocketAddress) server.localAddress()).getPort();
        CountDownLatch left = new CountDownLatch(CLIENTS * LINES);
        AtomicLong length = new AtomicLong();
        for (int c = 0; c < CLIENTS; c++) {
            Channel client = new Bootstrap().group(group).channel(NioSocketChannel.class).handler(new Lines() {
                @Override
                void line(ChannelHandlerContext context, String line) {
                    length.addAndGet(line.length());
                    left.countDown();
                }
            }).connect("127.0.0.1", port).sync().channel();
            for (int n = 0; n < LINES; n++) client.writeAndFlush("line " + n + "\n");
        }
        left.await();
        server.close().sync();
        group.shutdownGracefully().sync();
        System.out.println(length);
    }
}
