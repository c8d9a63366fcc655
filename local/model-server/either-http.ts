import { createServer as createHttp1, type RequestListener } from 'node:http';
import { createServer as createHttp2, type Http2Server } from 'node:http2';
import { createServer, type Server, type Socket } from 'node:net';

/** What an HTTP/2 connection in clear begins with; the Bedrock client speaks it without being asked. */
const preface = 'PRI * HTTP/2';

/** One port for HTTP/1.1 and for HTTP/2 in clear: a connection's first bytes tell which. */
export function eitherHttp(listener: RequestListener): { readonly server: Server; readonly closeAll: () => void } {
  const http1 = createHttp1(listener);
  // The compatibility classes of HTTP/2 have all that the listener uses of HTTP/1.
  const http2: Http2Server = createHttp2(listener as unknown as Parameters<typeof createHttp2>[0]);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.once('data', (first: Buffer) => {
      socket.pause();
      socket.unshift(first);
      if (first.toString('latin1', 0, preface.length) === preface) {
        // It takes what is buffered by itself; a resumed socket would have dropped it before.
        http2.emit('connection', socket);
      } else {
        http1.emit('connection', socket);
        socket.resume();
      }
    });
  });
  const closeAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return { server, closeAll };
}
