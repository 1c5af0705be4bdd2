// Decides whether one of several owners may take more of a shared budget.

/** How much an owner may use, as a multiple of what is then free. */
const SHARE = 3;

/**
 * One owner alone fills three quarters of the room, and several that take all they can still leave some for the next
 * ("dynamic queue length thresholds", Choudhury and Hahne, 1998).
 */
export function hasShare(
  bytes: number,
  { own, all, max }: { own: number; all: number; max: number },
): boolean {
  return own + bytes <= SHARE * (max - all - bytes);
}
