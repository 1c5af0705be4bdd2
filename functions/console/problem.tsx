// What went wrong and what to do, with an error id that can be copied.
import { CopyButton } from './copy-button.tsx';
import type { State } from './state.ts';

export function Problem({ problem }: Pick<State, 'problem'>) {
  const { title, text, errorId, isCalm = false } = problem ?? {};
  return (
    <div class={`card problem${isCalm ? ' calm' : ''}`} id="problem" role="alert" hidden={!problem}>
      <strong>{title}</strong>
      <p>{text}</p>
      {errorId !== undefined && (
        <p>
          <code>{errorId}</code> <CopyButton label="Copy error id" text={() => errorId} />
        </p>
      )}
    </div>
  );
}
