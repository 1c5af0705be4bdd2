// Declares the probe of an endpoint, which the compiler writes: what its parameters can make fail whatever the rows are.

export interface Probe {
  /** One SELECT that reads no table: the expressions of the query that parameters take part in, for a made-up row. */
  sql: string;
  /** Those that it uses, besides `OTHER_ROW`. */
  parameters: string[];
}

/** The BOOL parameter that chooses between the two made-up rows. No parameter of an endpoint begins with `_`. */
export const OTHER_ROW = '_other';
