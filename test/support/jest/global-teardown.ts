// Jest's global teardown: stops the Firestore emulator that global-setup.ts has started.

export default async function globalTeardown(): Promise<void> {
  await globalThis.stopFirestore?.();
}
