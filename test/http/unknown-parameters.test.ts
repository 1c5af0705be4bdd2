// Tests of parameters that an endpoint does not declare: they are named to the caller and in the log, and refused if misspelt.
import { runScenario } from '../support/scenarios.ts';
import { stepsBeside } from '../support/steps.ts';

it.each(stepsBeside(import.meta.filename))('%s', (_, steps) => runScenario(steps));
