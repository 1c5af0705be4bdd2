// Jest's global teardown: stops the emulator that the setup started.
export default async function globalTeardown(): Promise<void> {
  await globalThis.firestoreEmulator?.stop();
}
