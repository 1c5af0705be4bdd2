// Tests of where a request carries its API key, over HTTP.
import { runScenarios } from '../support/scenarios.ts';

runScenarios(import.meta.filename);
