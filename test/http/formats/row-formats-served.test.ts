// Tests of rows as JSON, CSV and newline-delimited JSON over HTTP, from the same cache entry: by `Accept`, and by the parameter `format`.
import { runScenarios } from '../../support/scenarios.ts';

runScenarios(import.meta.filename);
