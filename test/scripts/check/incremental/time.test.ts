// Tests of what `check` refuses of an endpoint with warming.incremental, because rows that are kept would be those of another time.
import { changesIn, expectChecked } from './change-sales.ts';

it.each(changesIn('time.txt'))('%s: %s', expectChecked);
