// Tests of parameters that an endpoint does not declare: they are named to the caller and in the log, and refused if misspelt.
import { runScenarios } from '../support/scenarios.ts';

runScenarios(import.meta.filename);
