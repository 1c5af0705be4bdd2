// Closes a connection whose client still sends, so that the client can read the answer.
import type { Socket } from 'node:net';

const LINGER_MS = 2000;
/** The pause after each read, so that the garbage collector keeps up with a flood. */
const READ_PAUSE_MS = 1;

/**
 * Ends our side of the connection, then reads and drops what still arrives, for a bounded time. Closing
 * at once would reset the connection, and the client would lose the answer
 * (https://www.rfc-editor.org/rfc/rfc9112#section-9.6). Further requests on it are ignored.
 */
export function lingeringClose(socket: Socket): void {
  socket.end();
  // Without this listener the HTTP parser receives nothing more.
  socket.removeAllListeners('data');
  socket.on('data', () => {
    socket.pause();
    setTimeout(() => socket.resume(), READ_PAUSE_MS);
  });
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}
