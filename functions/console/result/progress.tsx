// How long a slow query has run, and how to end it.
import { useEffect } from 'preact/hooks';
import { cancel } from '../actions.ts';
import { formatSpan } from '../format-span.ts';
import { type Running, set } from '../state.ts';
import { useSeconds } from './freshness.tsx';

/** After this time the page explains why the query takes longer. */
const SLOW_SECONDS = 2;

export function Progress({ running }: { running: Running }) {
  useSeconds();
  const { startedMs, goesOn } = running;
  const seconds = Math.floor((performance.now() - startedMs) / 1000);
  const isShown = goesOn || seconds >= SLOW_SECONDS;
  const more = goesOn
    ? 'The page asks for the rows again by itself.'
    : 'Rows that are not in the cache take a few seconds.';
  const text = `Running for ${formatSpan(seconds)}. ${more}`;
  // Not each second: a screen reader would never end.
  useEffect(() => {
    if (isShown) set({ status: text });
  }, [running, isShown]);
  return (
    // The button keeps the focus while the page asks again.
    <p class="muted small" id="progress-line" hidden={!isShown}>
      <span id="progress-text">{text}</span>{' '}
      <button class="link" id="cancel" type="button" onClick={cancel}>
        {goesOn ? 'Stop waiting' : 'Cancel'}
      </button>
    </p>
  );
}
