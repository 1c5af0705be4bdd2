// Tests of `bytesPerDay` of a key over HTTP: what counts, what is refused, and what goes on.
import { runScenarios } from '../support/scenarios.ts';

runScenarios(import.meta.filename);
