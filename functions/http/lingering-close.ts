// Closes a connection whose client still sends, so that the client can read the answer.
import type { Socket } from 'node:net';

const LINGER_MS = 2000;
/** After each read, so that the garbage collector keeps up with a flood. */
const READ_PAUSE_MS = 1;

/**
 * Ends the own side, then reads and drops what still comes, for a bounded time. Closing at once would
 * reset the connection, and the client would lose the answer
 * (https://www.rfc-editor.org/rfc/rfc9112#section-9.6). No further request of it is looked at.
 */
export function lingeringClose(socket: Socket): void {
  socket.end();
  // Without its listener the HTTP parser gets nothing more.
  socket.removeAllListeners('data');
  socket.on('data', () => {
    socket.pause();
    setTimeout(() => socket.resume(), READ_PAUSE_MS);
  });
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}
