// Writes into the files of cases what came, and leaves the rest of their text as it is.
import { type JSONPath, applyEdits, modify } from 'jsonc-parser';
import { REASONS } from '../../../functions/core/errors.ts';
import { readTextFile } from '../../faults/read-text-file.ts';
import { writeFile } from '../../cli/write-file.ts';
import type { EndpointCase } from './read-cases.ts';
import type { Answer } from './run-case.ts';

export interface CaseUpdate {
  given: EndpointCase;
  answer: Answer;
}

const LAYOUT = { insertSpaces: true, tabSize: 2 };

/** A file that Prettier had formatted stays formatted by it. */
export async function updateCases(updates: readonly CaseUpdate[]): Promise<void> {
  if (updates.length === 0) return;
  const prettier = await import('prettier');
  for (const file of new Set(updates.map(({ given }) => given.file))) {
    const before = readTextFile(file);
    const options = {
      ...(await prettier.resolveConfig(file, { editorconfig: true })),
      parser: 'json',
    };
    const isFormatted = await prettier.check(before, options);
    let text = before;
    for (const { given, answer } of updates.filter((update) => update.given.file === file)) {
      for (const [field, value] of Object.entries(expectedFields(answer))) {
        const path: JSONPath = [given.index, field];
        // Prettier keeps an object in the lines that it has, and puts one of one line into as few as fit.
        const options = isFormatted ? {} : { formattingOptions: LAYOUT };
        text = applyEdits(text, modify(text, path, value, options));
      }
    }
    writeFile(file, isFormatted ? await prettier.format(text, options) : text);
  }
}

/** Undefined for fields that are removed. */
function expectedFields(answer: Answer): Record<string, unknown> {
  const isError = answer instanceof Error;
  return {
    expected_result: isError ? undefined : answer.rows,
    expected_http_status: isError ? REASONS[answer.reason].code : undefined,
    expected_reason: isError ? answer.reason : undefined,
  };
}
