// The form for the parameters of an endpoint, with Run.
import { submit } from '../actions.ts';
import type { Parameter } from '../service.ts';
import { type State, get, set, timeZoneOf } from '../state.ts';
import { Field, type FormFieldProps } from './field.tsx';
import { groupRanges } from './group-ranges.ts';
import { Range } from './range.tsx';

type FormProps = Pick<State, 'draft' | 'faults' | 'running' | 'zone'> & {
  endpoint: NonNullable<State['endpoint']>;
};

export function Form(props: FormProps) {
  const { endpoint, draft, faults, running } = props;
  const zone = timeZoneOf(props);
  const change = (name: string, values: readonly string[]): void => {
    const { draft: before, faults: known } = get();
    set({
      draft: { ...before, [name]: values },
      faults: known.filter(({ field }) => field !== name),
    });
  };
  const fieldOf = (parameter: Parameter): FormFieldProps => ({
    ...{ parameter, zone, onChange: change, values: draft[parameter.name] ?? [] },
    fault: faults.find(({ field }) => field === parameter.name),
  });
  return (
    <form
      id="form"
      noValidate
      aria-label="Parameters"
      onSubmit={(event) => {
        event.preventDefault();
        submit(event.currentTarget);
      }}
    >
      <div class="fields" id="fields" key={endpoint.name}>
        {groupRanges(endpoint.parameters).map(([first, last]) =>
          last === undefined ? (
            <Field key={first.name} {...fieldOf(first)} />
          ) : (
            <Range
              key={first.name}
              ends={[first, last]}
              {...{ endpoint, draft, zone, fieldOf, onChange: change }}
            />
          ),
        )}
      </div>
      <button class="primary" id="run" type="submit">
        Run
      </button>
      <div
        class="progress"
        id="progress"
        role="progressbar"
        aria-label="Query"
        hidden={running === undefined}
      />
    </form>
  );
}
