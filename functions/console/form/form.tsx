// The form for the parameters of an endpoint, with Run.
import { submit } from '../actions.ts';
import type { Endpoint } from '../service.ts';
import { get } from '../state.ts';
import { Field } from './field.tsx';
import { Range } from './range.tsx';
import { groupRanges } from './ranges.ts';

export function Form({ endpoint }: { endpoint: Endpoint }) {
  return (
    <form
      id="form"
      noValidate
      autocomplete="off"
      autocapitalize="off"
      aria-label="Parameters"
      onSubmit={(event) => {
        event.preventDefault();
        submit(event.currentTarget);
      }}
    >
      <div class="fields" id="fields" key={endpoint.name}>
        {groupRanges(endpoint.parameters).map(({ first, last }) =>
          last === undefined ? (
            <Field key={first.name} parameter={first} />
          ) : (
            <Range key={first.name} {...{ endpoint, first, last }} />
          ),
        )}
      </div>
      <button class="primary" id="run" type="submit">
        Run
      </button>
      <progress id="progress" aria-label="Query" hidden={get().running === undefined} />
    </form>
  );
}
