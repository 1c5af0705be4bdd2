// `npm run docs`: the generated parts of the pages in docs/ are those of the code.
import { generatePage } from '../docs/generate/generate-page.ts';
import { main } from '../docs/generate/docs.ts';
import { runCommand } from '../support/command.ts';

// The cost page takes a thousand evaluations of the engine, which take long beside other tests.
it('every page of docs/ is as generated from the code', async () => {
  expect(await runCommand(main, ['--check'])).toMatchObject({ code: 0 });
}, 300_000);

it('keeps the text around a part, and replaces the part', async () => {
  const page = await generatePage(
    '# A\n\n<!-- generated: table.json -->\nstale text\n<!-- end -->\n\nB.\n',
  );
  expect(page).toMatch(
    /^# A\n\n<!-- generated: table.json -->\n\n\| field .*<!-- end -->\n\nB\.\n$/s,
  );
  expect(page).not.toContain('stale text');
});

it('rejects a part that does not exist', async () => {
  await expect(generatePage('<!-- generated: setings -->\n<!-- end -->')).rejects.toThrow(
    'Unknown part setings. Parts: endpoint.json, errors, report, settings, table.json, variables.',
  );
});
