import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCursor, sealCursor } from '../../../core/catalogue/cursor.ts';
import { ownerKey } from '../../../core/reference/owner-key.ts';

const secret = randomBytes(32);
const ada = { owner: ownerKey('ada'), list: 'chats' };
const good = sealCursor(secret, ada, 'chat#7');
const refused = expect.objectContaining({ code: 'InvalidInput' });

test('opens for its owner and its list, and says nothing to anyone who looks at it', () => {
  expect(openCursor(secret, ada, good)).toBe('chat#7');
  expect(Buffer.from(good, 'base64url').toString('latin1')).not.toContain('chat');
  expect(sealCursor(secret, ada, 'chat#7')).not.toBe(good);
});

describe('case H069: tampered cursors', () => {
  const { rows } = JSON.parse(readFileSync(join(import.meta.dirname, '../../fixtures/cases/cursors.json'), 'utf8')) as {
    rows: { cursor: string; want: string }[];
  };
  test.each(rows.filter((row) => row.want.startsWith('400')))('$want', ({ cursor }) => {
    expect(() => openCursor(secret, ada, cursor)).toThrow(refused);
  });
  test('any one letter of a good one changed', () => {
    for (let at = 0; at < good.length; at += 1) {
      const other = good[at] === 'A' ? 'B' : 'A';
      expect(() => openCursor(secret, ada, good.slice(0, at) + other + good.slice(at + 1))).toThrow(refused);
    }
  });
  test('shortened, lengthened, spelled otherwise', () => {
    for (const cursor of [good.slice(0, -1), `${good}A`, `${good}=`, ` ${good}`, 7, null, [good]]) {
      expect(() => openCursor(secret, ada, cursor)).toThrow(refused);
    }
  });
  test("another owner's, another list's, another deployment's", () => {
    expect(() => openCursor(secret, { ...ada, owner: ownerKey('bob') }, good)).toThrow(refused);
    expect(() => openCursor(secret, { ...ada, list: 'results:' }, good)).toThrow(refused);
    expect(() => openCursor(randomBytes(32), ada, good)).toThrow(refused);
  });
});

test('a secret too short to be one is a fault of the deployment, not a refusal', () => {
  expect(() => sealCursor(randomBytes(8), ada, 'x')).toThrow(/at least 32 bytes/);
});
