// Declares a text that was rewritten, and finds the places of the original for those of the text.
import { googleSqlPlace } from '../../faults/text-place.ts';

export interface MappedText {
  original: string;
  text: string;
  /** Of each rewriting, the first one first: the parts of its text. */
  steps: readonly (readonly MappedPart[])[];
}

export interface MappedPart {
  /** Where the part begins. */
  at: number;
  /** The place that it comes from; of text that the rewriting wrote itself, the next one in what it replaces. */
  origin: number;
  isOwn: boolean;
}

/** The offset in the original that an offset in the text comes from. */
export function originOf({ steps }: MappedText, offset: number): number {
  return steps.reduceRight((place, parts) => {
    const part = parts.findLast(({ at }) => at <= place);
    if (part === undefined) return place;
    return part.isOwn ? part.origin : part.origin + place - part.at;
  }, offset);
}

/** `line:column` of the original, as GoogleSQL counts them. */
export function placeOfOrigin(mapped: MappedText, offset: number): string {
  return googleSqlPlace(mapped.original, originOf(mapped, offset));
}
