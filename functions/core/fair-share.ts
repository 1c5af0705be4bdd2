// Decides whether one of several owners may take more of a shared budget.

/** How much an owner may use, as a multiple of what is then free. */
const SHARE = 3;

/** One owner gets at most three quarters; several leave some for the next ("dynamic queue length thresholds", Choudhury and Hahne, 1998). */
export function hasShare(bytes: number, { own, all, max }: Record<'own' | 'all' | 'max', number>) {
  return own + bytes <= SHARE * (max - all - bytes);
}
