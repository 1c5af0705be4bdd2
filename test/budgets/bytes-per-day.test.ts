// Tests of `bytesPerDay` of a key over HTTP: what counts, what is refused, and what goes on.
import { runScenario } from '../support/scenarios.ts';
import { stepsBeside } from '../support/steps.ts';

it.each(stepsBeside(import.meta.filename))('%s', (_, steps) => runScenario(steps));
