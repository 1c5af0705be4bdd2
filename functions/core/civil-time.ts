// Decides whether a text is a calendar day or a time of day, in BigQuery's format.

const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?$/;

/** `YYYY-MM-DD`, an existing day in the years 1 to 9999. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  // `Date` turns a day that the month does not have into one of the next month.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) && text >= '0001';
}

/** `HH:MM:SS`, with up to six digits of a fraction. */
export function isTimeOfDay(text: string): boolean {
  return TIME.test(text);
}
