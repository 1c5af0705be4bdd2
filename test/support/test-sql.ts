// The saved queries that the tests run on: the endpoints under `sql/` may change without them.

/** With endpoints/, routines/ and sources/; relative to the project, where Jest runs. */
export const TEST_SQL = 'test/sql';
