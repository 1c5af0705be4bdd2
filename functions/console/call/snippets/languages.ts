// The languages in which a call is shown; the first is shown at the start.
import { appsScript } from './apps-script.ts';
import { curl } from './curl.ts';
import { javaScript } from './javascript.ts';
import { mcp } from './mcp.ts';
import { powerQuery } from './power-query.ts';
import { powerShell } from './power-shell.ts';
import { python } from './python.ts';
import type { Language } from './snippet.ts';

export const LANGUAGES: readonly [Language, ...Language[]] = [
  curl,
  powerShell,
  javaScript,
  python,
  appsScript,
  powerQuery,
  mcp,
];
