// Every page is rendered as it was meant: no code, list, table or formula has become text.
import { globSync, readFileSync } from 'node:fs';
import { renderedFaults } from './rendered-faults.ts';

const PAGES = globSync('**/*.md', {
  exclude: (path) => /^(?:node_modules|dist|\.\w.*)$/.test(path),
});

it.each(PAGES.sort())('%s is rendered as it was meant', (page) => {
  expect(renderedFaults(readFileSync(page, 'utf8'))).toEqual([]);
});
