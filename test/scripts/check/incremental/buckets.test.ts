// Tests of what `check` refuses of an endpoint with warming.incremental, because rows of a bucket that are kept may depend on others.
import { changesIn, expectChecked } from './change-sales.ts';

it.each(changesIn('buckets.txt'))('%s: %s', expectChecked);
