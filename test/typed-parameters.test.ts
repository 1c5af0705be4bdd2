// Tests of parameters of every type over HTTP: what is bound, and what is refused.
import { callsBeside, startTypedService } from './support/service/ask-typed.ts';

const { expectCalls } = await startTypedService();

it.each(callsBeside(import.meta.filename))('%s', (_, calls) => expectCalls(calls));
