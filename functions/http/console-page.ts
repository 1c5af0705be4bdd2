// Loads the console's page, one file that `scripts/compile/console-page.ts` made, and its security headers.
import { createHash, hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { weakETag } from './caching-headers.ts';
import { contentTag } from '../core/bytes.ts';
import type { Document } from './describe-endpoints.ts';

/** With `runsExamples`, the page runs an endpoint unasked; with `isLocal`, it says that queries cost nothing. The content security policy allows only the style and script inside the page, and requests to this service. Throws without the file. */
export function loadConsole(
  file: string,
  { runsExamples = false, isLocal = false } = {},
): Document {
  let html: string;
  try {
    html = readFileSync(file, 'utf8');
  } catch (cause) {
    const message = `CONSOLE is on, but ${file} is missing: npm start and npm run bundle build it.`;
    throw new Error(message, { cause });
  }
  if (runsExamples) html = html.replace('<html ', '<html data-examples="run" ');
  if (isLocal) html = html.replace('<html ', '<html data-bigquery="local" ');
  const body = Buffer.from(html);
  return {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': [
        "default-src 'none'",
        `script-src ${hashesOf(html, 'script')}`,
        `style-src ${hashesOf(html, 'style')}`,
        'img-src data:',
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ].join('; '),
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
      'X-Frame-Options': 'DENY',
    },
    body,
    gzip: gzipSync(body, { level: 9 }),
    etag: weakETag(contentTag(createHash('sha256').update(body))),
  };
}

/** https://www.w3.org/TR/CSP3/#grammardef-hash-source of every element of this name with text. */
function hashesOf(html: string, element: 'script' | 'style'): string {
  const texts = [...html.matchAll(new RegExp(`<${element}[^>]*>([\\s\\S]*?)</${element}>`, 'g'))];
  const hashes = texts.map(([, text = '']) => `'sha256-${hash('sha256', text, 'base64')}'`);
  return hashes.length === 0 ? "'none'" : hashes.join(' ');
}
