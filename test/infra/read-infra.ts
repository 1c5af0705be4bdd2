// The blocks of infra/ by their types and names, as JSON; an expression is a text.
import { convertFiles } from '@cdktn/hcl2json';

export type Block = Record<string, unknown>;

const module = (await convertFiles('infra')) as unknown as {
  locals: Block[];
  variable: Record<string, Block[]>;
  output: Record<string, Block[]>;
  resource: Record<string, Record<string, Block[]>>;
};

export const infra = {
  /** By type and name. */
  resources: module.resource,
  resource: (type: string, name: string): Block => module.resource[type]?.[name]?.[0] ?? {},
  variable: (name: string): Block => module.variable[name]?.[0] ?? {},
  output: (name: string): unknown => module.output[name]?.[0]?.value,
  /** The value of a local, whichever file has it. */
  local: (name: string): unknown => module.locals.find((locals) => name in locals)?.[name],
};
