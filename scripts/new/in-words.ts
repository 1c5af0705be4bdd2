// Writes a name in words: `min_amount` as "Min amount".

export function inWords(name: string): string {
  const words = name.replaceAll(/[^\p{L}\p{N}]+/gu, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
