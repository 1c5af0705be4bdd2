// One line: where the rows came from, how old they are, when newer ones can arrive, and what was read for them.
import { useEffect, useState } from 'preact/hooks';
import { type Shown, isLocal } from '../state.ts';
import { describeFreshness } from './describe-freshness.ts';

export function Freshness({ shown: { endpoint, answer } }: { shown: Shown }) {
  useSeconds();
  const now = { nowMs: Date.now(), isLocal: isLocal() };
  const { kind, origin, age, parts } = describeFreshness(endpoint, answer, now);
  return (
    // Another one when it changes, so that nothing moves in it.
    <p class="freshness row muted small" id="freshness" key={age}>
      <span>
        <span class={`badge ${kind}`} title={answer.cacheStatus}>
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

/** Shows the component again each second. */
export function useSeconds(): void {
  const [, count] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => count((before) => before + 1), 1000);
    return () => clearInterval(timer);
  }, []);
}
