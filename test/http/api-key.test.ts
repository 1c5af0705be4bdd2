// Tests of where a request carries its API key, over HTTP.
import { runScenario } from '../support/scenarios.ts';
import { stepsBeside } from '../support/steps.ts';

it.each(stepsBeside(import.meta.filename))('%s', (_, steps) => runScenario(steps));
