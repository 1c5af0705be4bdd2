// Starts a Firestore emulator in this process, for this machine only.
import { FirestoreServer } from '@firestore-emulator/server';
import type { Server } from '@grpc/grpc-js';
import { freePort } from '../cli/tcp-ports.ts';

/** Ignores preconditions, isolates no transactions, has no batch writes. `host` is for FIRESTORE_EMULATOR_HOST. */
export async function startInProcessFirestore(): Promise<{ host: string; stop: () => void }> {
  const emulator = new FirestoreServer();
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  // It has no setting for the address, listens on all of them, and lets every client write.
  const { server } = emulator as unknown as { server: Server };
  const bind = server.bindAsync.bind(server);
  server.bindAsync = (_, ...rest) => bind(host, ...rest);
  await emulator.start(port);
  return { host, stop: () => emulator.stop() };
}
