// After all tests: ends the emulator that the setup has started.
export default async function globalTeardown(): Promise<void> {
  await globalThis.firestoreEmulator?.stop();
}
