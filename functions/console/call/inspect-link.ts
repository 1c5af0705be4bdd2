// Compares a link with its endpoint: what can be filled in, and what is wrong with the rest.
import type { FieldViolation } from '../../core/errors.ts';
import type { Link, ParsedLink } from './link.ts';
import { type Endpoint, type Parameters, isList } from '../service.ts';

interface InspectedLink extends Pick<Link, 'view'> {
  parameters: Parameters;
  /** To show next to fields. */
  violations: FieldViolation[];
  /** A sentence each. */
  faults: string[];
}

const NAME_CHARACTERS_MAX = 40;
const FAULTS_MAX = 3;

export function inspectLink(link: ParsedLink, endpoint: Endpoint): InspectedLink {
  const given = link.parameters ?? {};
  const declared = new Map(endpoint.parameters.map((parameter) => [parameter.name, parameter]));
  const columns = new Set(endpoint.row.map(({ name }) => name));
  const unknown = Object.keys(given).filter((name) => !declared.has(name));
  const known = Object.entries(given).filter(([name]) => declared.has(name));
  const repeated = known.filter(([name, values]) => {
    const parameter = declared.get(name);
    return parameter !== undefined && !isList(parameter) && values.length > 1;
  });
  const faults = [
    ...unknown.map((name) => `There is no parameter ${quoted(name)}.`),
    ...link.damaged.map((name) => `The value of ${quoted(name)} cannot be read.`),
  ].slice(0, FAULTS_MAX);
  return {
    parameters: Object.fromEntries(known),
    violations: repeated.map(([field, values]) => ({
      field,
      description: `comes ${values.length} times in the link; this is the first value`,
    })),
    faults,
    // Which series exist, only the rows know.
    view: {
      ...link.view,
      hiddenColumns: link.view.hiddenColumns.filter((name) => columns.has(name)),
    },
  };
}

/** Text of a link can be of any length. */
export function shorten(text: string): string {
  const characters = [...text];
  if (characters.length <= NAME_CHARACTERS_MAX) return text;
  return `${characters.slice(0, NAME_CHARACTERS_MAX).join('')}…`;
}

function quoted(name: string): string {
  return `“${shorten(name)}”`;
}
