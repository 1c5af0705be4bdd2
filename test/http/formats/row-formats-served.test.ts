// Tests of rows as JSON, CSV and newline-delimited JSON over HTTP, from the same cache entry: by `Accept`, and by the parameter `format`.
import { runScenario } from '../../support/scenarios.ts';
import { stepsBeside } from '../../support/steps.ts';

it.each(stepsBeside(import.meta.filename))('%s', (_, steps) => runScenario(steps));
