// Every page is rendered as it was meant: no code, list, table or formula has become text.
import { globSync, readFileSync } from 'node:fs';
import { renderedFaults } from './rendered-faults.ts';

const PAGES = globSync('**/*.md', {
  exclude: (path) => /^(?:node_modules|dist|\.\w.*)$/.test(path),
});

it.each(PAGES.sort())('%s is rendered as it was meant', (page) => {
  expect(renderedFaults(readFileSync(page, 'utf8'))).toEqual([]);
});

/** The formula of the cost page as a formatter once joined it. */
const FORMULA = `
BigQuery jobs    = 288 × Σ over groups of ⌈N ÷ maxKeys⌉ + M BigQuery bytes   ≥ jobs × tables per query × 10 MiB (the minimum that
BigQuery bills) Firestore reads  ≤ 288 × L + min(R, 5,760 × I × L) + 1,440 × I × K + 5 × M + 6 × W + U Firestore writes ≤ 288 × L + 576
× L × E + 2 × M + S ÷ 3  (warming, recorded reads, misses, renewals of leases) function seconds ≤ R × 0.1 + 288 × seconds of a warming
run
`;
const TABLE = '| a | b |\n| --- | --- |\n';

it.each(
  Object.entries({
    [FORMULA]: ['line in a paragraph: BigQuery jobs = 288 ×'],
    [FORMULA.replaceAll(/^(?=.)/gm, '    ')]: ['code without a fence: ', 'joined lines: '],
    [`\`\`\`${FORMULA}\`\`\``]: ['joined lines: BigQuery jobs'],
    'The cost of a day: jobs = 5 × M and bytes = 7 × M\n': ['joined lines: The cost'],
    'Run `npm run check --\nsales` first.\n': ['code over two lines: `npm run check -- sales`'],
    'Run `npm run check first.\n': ['markup in text: Run `npm'],
    'Run **this : ** first.\n': ['markup in text: Run **this'],
    'See [the page](cost md).\n': ['markup in text: See [the page]('],
    'In this order:\n2. the tables\n3. the queries\n': ['line in a paragraph: 2. the'],
    'In this order: 1. the tables 2. the queries\n': ['joined lines: In this'],
    'These: - the tables - the queries\n': ['joined lines: These:'],
    'These:\n| a | b |\n| --- |\n': ['line in a paragraph: | a', 'markup in text: These:'],
    'These: | a | b | | --- | --- |\n': ['markup in text: These:'],
    [`${TABLE}| 1 |\n`]: ['row with another number of cells: | 1 |'],
    [`${TABLE}| 1 | \`x|y\` |\n`]: [
      'row with another number of cells: | 1 | `x|y` |',
      'markup in text: `x',
    ],
    'A sentence\n---\n': ['underlined text: A sentence'],
    'Call /query/<name>.\n': ['tag: <name>'],
    '```sh\nnpm test\n\nMore text.\n': ['fence without an end: ```sh npm test'],
  }),
)('finds %j', (markdown, faults) => {
  const found = renderedFaults(`# Page\n\n${markdown}`);
  expect(found.map((fault, index) => fault.slice(0, faults[index]?.length))).toEqual(faults);
});

it('leaves alone what is meant', () => {
  const page = [
    '# 1. A `title`\n',
    'A *word*, a \\* and a snake_case word: 5 - 3 = 2.\n\n- one `a | b`\n- two\n\n1. first\n2. second\n',
    `${TABLE}| 1 \\| 2 | \`x\` |\n`,
    '```\njobs  = 5\nbytes = 6 # a  = b\n```\n',
    '<!-- generated -->\n\nPress <kbd>a</kbd>.\n',
  ];
  expect(renderedFaults(page.join('\n'))).toEqual([]);
});
