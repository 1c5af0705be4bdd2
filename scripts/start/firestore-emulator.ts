// Starts a Firestore emulator in this process, for this machine only.
import { FirestoreServer } from '@firestore-emulator/server';
import type { Server } from '@grpc/grpc-js';

/** Ignores preconditions, isolates no transactions, has no batch writes. `host` is for FIRESTORE_EMULATOR_HOST. */
export async function startInProcessFirestore(): Promise<{ host: string; stop: () => void }> {
  const emulator = new FirestoreServer();
  // It has no setting for the address, listens on all of them, and lets every client write.
  const { server } = emulator as unknown as { server: Server };
  const bind = server.bindAsync.bind(server);
  let port = 0;
  server.bindAsync = (_, credentials, callback) => {
    bind('127.0.0.1:0', credentials, (error, bound) => {
      port = bound;
      callback(error, bound);
    });
  };
  await emulator.start(port);
  return { host: `127.0.0.1:${port}`, stop: () => emulator.stop() };
}
