// Random numbers from a seed: the same seed gives the same ones.

const HOUR_MS = 3_600_000;

/** Of tests that try other cases in each hour; the one of a failure repeats it. */
export const SEED = Number(process.env.SEED ?? Math.floor(Date.now() / HOUR_MS));

/** mulberry32, from 0 to below 1: small, and good enough to mix traffic and faults. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function pickOf<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)] as T;
}

/** Deals all of the list in a random order, and then all of it again in another one. */
export function createDeck<T>(list: readonly T[], random: () => number): () => T {
  let rest: T[] = [];
  return () => {
    if (rest.length === 0) rest = [...list];
    const [dealt] = rest.splice(Math.floor(random() * rest.length), 1);
    return dealt as T;
  };
}
