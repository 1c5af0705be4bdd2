// Tests of CORS: which pages in a browser may read answers.
import { runScenario } from '../support/scenarios.ts';
import { stepsBeside } from '../support/steps.ts';

it.each(stepsBeside(import.meta.filename))('%s', (_, steps) => runScenario(steps));
