// Reads the numbers among the options of the soak and its bounds.
import { InvalidArgumentError } from '@commander-js/extra-typings';

/** For the value of an option: a whole number from 1 to `max`. */
export function positiveInteger(max: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= 1 && number <= max) return number;
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${max}.`);
  };
}
