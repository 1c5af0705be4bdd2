// How fresh the rows are; and how long a slow query has run, and how to end it. Both are shown again each second.
import { useEffect, useState } from 'preact/hooks';
import { cancel } from '../actions.ts';
import { formatSpan } from '../format.ts';
import { type Running, type Shown, isLocal, set } from '../state.ts';
import { describeFreshness } from './describe-freshness.ts';

/** After this time the page says that the query takes longer. */
const SLOW_SECONDS = 2;

export function Freshness({ answer }: Pick<Shown, 'answer'>) {
  useSeconds();
  const { isHit, origin, age, parts } = describeFreshness(answer, isLocal());
  return (
    // Another one when it changes, so that nothing moves in it.
    <p class="freshness row muted small" id="freshness" key={age}>
      <span>
        <span class={isHit ? 'badge hit' : 'badge'} title={answer.cacheStatus}>
          {origin}
        </span>
        , {age}
      </span>
      {parts.map((part) => (
        <span key={part}>{part}</span>
      ))}
    </p>
  );
}

export function Progress({ running }: { running: Running }) {
  useSeconds();
  const { startedMs, goesOn } = running;
  const seconds = Math.floor((performance.now() - startedMs) / 1000);
  const isShown = goesOn || seconds >= SLOW_SECONDS;
  const text = `Running for ${formatSpan(seconds)}. The rows are shown as soon as they are there.`;
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

function useSeconds(): void {
  const [, count] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => count((before) => before + 1), 1000);
    return () => clearInterval(timer);
  }, []);
}
