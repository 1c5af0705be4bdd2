// Tests of CORS: which pages in a browser may read answers.
import { runScenarios } from '../support/scenarios.ts';

runScenarios(import.meta.filename);
