// Tests of what `check` refuses of an endpoint with warming.incremental, because it reads other rows than bucket.window and @since say.
import { changesIn, expectChecked } from './change-sales.ts';

it.each(changesIn('window.txt'))('%s: %s', expectChecked);
