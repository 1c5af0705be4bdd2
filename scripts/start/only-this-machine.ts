// Preloaded into a function: cuts connections that come from other machines.
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

subscribe('net.server.socket', (message) => {
  const { socket } = message as { socket: Socket };
  const address = socket.remoteAddress ?? '';
  if (!/^(?:::ffff:)?127\.|^::1$/.test(address)) socket.destroy();
});
