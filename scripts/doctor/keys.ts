// `npm run doctor`: whether there are API keys, and none ends soon.
import { DAY_MS } from '../../functions/core/clock.ts';
import { isValidKey } from '../../functions/keys/access.ts';
import { counted } from '../cli/table.ts';
import { listKeys } from '../keys/api-keys.ts';
import { formatTime } from '../keys/format-keys.ts';
import { createKeyRegister } from '../keys/key-register.ts';
import { type Deployment, keysCommand } from './deployment.ts';
import { type Finding, fault, orRight, warning } from './finding.ts';
import { inDatabase } from './warming.ts';

const SOON_MS = 14 * DAY_MS;

export function checkKeys(of: Deployment): Promise<Finding[]> {
  return inDatabase(of, of.keysDatabase, async (firestore, inTime) => {
    const register = createKeyRegister(firestore, inTime);
    const nowMs = await register.nowMs();
    const { keys, unreadableCount } = await listKeys(register);
    const valid = keys.filter(({ key }) => isValidKey(key, nowMs));
    const findings: Finding[] = [];
    if (valid.length === 0) {
      const create = keysCommand(of, 'create', 'NAME', '--endpoints', '*');
      findings.push(fault(`There is no valid API key in ${of.keysDatabase}`, create));
    }
    for (const [name, named] of Map.groupBy(valid, ({ key }) => key.name)) {
      // Of a name, the old keys end after a rotation.
      const latestMs = Math.max(...named.map(({ key }) => key.expiresAtMs ?? Infinity));
      if (latestMs - nowMs > SOON_MS) continue;
      const rotate = keysCommand(of, 'rotate', name, '--expires', '90d');
      findings.push(warning(`The key ${name} expires at ${formatTime(latestMs)}`, rotate));
    }
    if (unreadableCount > 0) {
      const what = `${counted(unreadableCount, 'document')} in apiKeys open nothing, because they are not valid keys`;
      findings.push(warning(what, keysCommand(of, 'list')));
    }
    return orRight(`Keys: ${counted(valid.length, 'valid key')}`, findings);
  });
}
