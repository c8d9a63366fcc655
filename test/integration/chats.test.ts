import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeleteCommand, type DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamoChats } from '../../aws/dynamo-chats.ts';
import { everyPage } from '../../aws/dynamo-query.ts';
import { itemBytes, maxItemBytes } from '../../core/chat/item-size.ts';
import { listChats, liveChats } from '../../core/chat/list-chats.ts';
import { assertContinuable, openChat } from '../../core/chat/open-chat.ts';
import { ownerKey } from '../../core/reference/owner-key.ts';
import { newId } from '../../core/reference/reference.ts';
import { toolCatalogue } from '../../core/tool/tool-definition.ts';
import { TableServer } from '../fakes/table-server.ts';
import { turn } from '../unit/chat/sample-turn.ts';

const fixture = (name: string) => join(__dirname, '../fixtures/cases', name);
const server = new TableServer();
const secret = new Uint8Array(32).fill(7);
const now = new Date('2026-11-30T12:00:00Z');
const viewer = { roles: [], tools: toolCatalogue([]), now };
let documents: DynamoDBDocumentClient;
let owner = ownerKey('nobody');
let people = 0;

beforeAll(async () => {
  documents = await server.start();
  await server.table('chats');
}, 30_000);
afterAll(() => server.stop());
beforeEach(() => {
  people += 1;
  owner = ownerKey(`person-${people}`);
});

const chats = () => dynamoChats(documents, 'chats', async () => {});
const inAYear = Math.floor(now.getTime() / 1000) + 31_536_000;
const chat = (title = 'A chat') => ({ title, expiresAt: inAYear, now });
const saying = (text: string) =>
  turn({
    runId: newId(),
    answer: text.slice(0, 20),
    threads: [
      {
        agent: 'assistant',
        messages: [
          { role: 'user', content: [{ text }] },
          { role: 'assistant', content: [{ text: 'yes' }] },
        ],
      },
    ],
  });
const atMinute = (minute: number) => new Date(Date.parse('2026-01-01T00:00:00Z') + minute * 60_000).toISOString();

describe('item size', () => {
  it('counts as the table does: one byte more than counted is refused', async () => {
    // dynalite counts characters; bytes, which AWS counts, are the subject of the unit test and of the case below.
    const item = (length: number) => ({ pk: 'size', sk: 'x', flag: true, text: 'a'.repeat(length) });
    const room = maxItemBytes - itemBytes(item(0));
    expect(itemBytes(item(room))).toBe(maxItemBytes);
    await documents.send(new PutCommand({ TableName: 'chats', Item: item(room) }));
    await expect(documents.send(new PutCommand({ TableName: 'chats', Item: item(room + 1) }))).rejects.toThrow(/size/);
  });
});

describe('saving (case H062)', () => {
  it.each([
    [
      '140,000 characters of three bytes',
      () =>
        JSON.parse(
          execFileSync(process.execPath, [fixture('expand.mjs'), 'multibyte', '140000'], {
            maxBuffer: 2_000_000,
          }).toString(),
        ).content[0].text as string,
    ],
    ['399,000 ASCII bytes', () => 'x'.repeat(399_000)],
    ['three megabytes', () => 'é検😀 '.repeat(300_000)],
  ])('%s come back equal', async (_words, make) => {
    const session = newId();
    const saved = saying(make());
    await chats().save(owner, session, saved, chat());
    expect(await chats().turns(owner, session)).toEqual([{ ...saved, n: 0 }]);
    const bodies = { TableName: 'chats', KeyConditionExpression: 'pk = :pk' };
    const values = { ':pk': `${owner}#${session}` };
    for await (const items of everyPage(documents, { ...bodies, ExpressionAttributeValues: values })) {
      for (const item of items) expect(itemBytes(item)).toBeLessThan(maxItemBytes);
    }
  });

  it('500 short messages, and turns over several pages of 1 MB, come back in order', async () => {
    const session = newId();
    const many = Array.from({ length: 500 }, (_, n) => ({
      role: n % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: [{ text: `message ${n}` }],
    }));
    const first = turn({ runId: newId(), threads: [{ agent: 'assistant', messages: many }] });
    await chats().save(owner, session, first, chat());
    for (let n = 1; n <= 12; n += 1) await chats().save(owner, session, saying(`${n} ${'.'.repeat(300_000)}`), chat());
    const turns = await chats().turns(owner, session);
    expect(turns[0]).toEqual({ ...first, n: 0 });
    expect(turns.map(({ n }) => n)).toEqual(Array.from({ length: 13 }, (_, n) => n));
    expect(JSON.stringify(turns[12]?.threads)).toContain('"12 ...');
    expect((await chats().header(owner, session))?.turns).toBe(13);
  }, 60_000);

  it('a piece that fails leaves nothing to be seen, and the repeat makes it whole', async () => {
    const session = newId();
    const saved = saying('検'.repeat(400_000));
    let puts = 0;
    const failing = new Proxy(documents, {
      get: (target, name) =>
        name !== 'send'
          ? Reflect.get(target, name)
          : async (command: PutCommand) => {
              if (command instanceof PutCommand) puts += 1;
              if (puts === 3) throw new Error('the third write fails');
              return target.send(command);
            },
    });
    await expect(dynamoChats(failing, 'chats').save(owner, session, saved, chat())).rejects.toThrow('third write');
    expect(await chats().header(owner, session)).toBeUndefined();
    expect(await chats().turns(owner, session)).toEqual([]);
    await chats().save(owner, session, saved, chat());
    expect(await chats().turns(owner, session)).toEqual([{ ...saved, n: 0 }]);
  });

  it('a repeat is the same turn, also when it was composed anew', async () => {
    const session = newId();
    const saved = saying('検'.repeat(200_000));
    expect(await chats().save(owner, session, saved, chat())).toEqual({ n: 0, created: true });
    await chats().save(owner, session, saying('another'), chat());
    const again = { ...saved, at: '2026-11-30T12:00:09.000Z' };
    expect(await chats().save(owner, session, again, chat())).toEqual({ n: 0, created: false });
    const turns = await chats().turns(owner, session);
    expect(turns).toHaveLength(2);
    expect(turns[0]).toEqual({ ...saved, n: 0 });
  });

  it('6 writers × 20 rounds on one chat are 120 turns', async () => {
    const session = newId();
    const wait = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
    const writers = Array.from({ length: 6 }, async (_, writer) => {
      const own = dynamoChats(documents, 'chats', wait);
      for (let round = 0; round < 20; round += 1) await own.save(owner, session, saying(`${writer}/${round}`), chat());
    });
    await Promise.all(writers);
    const turns = await chats().turns(owner, session);
    const said = turns.map((one) => JSON.stringify(one.threads[0]?.messages[0]?.content[0]));
    expect(turns).toHaveLength(120);
    expect(new Set(said).size).toBe(120);
    expect(turns.map(({ n }) => n)).toEqual(Array.from({ length: 120 }, (_, n) => n));
    expect((await chats().header(owner, session))?.turns).toBe(120);
  }, 60_000);
});

describe('the date of a chat', () => {
  const day = 86_400;
  const start = Math.floor(now.getTime() / 1000);
  /** A turn at this day of the chat's life, kept for 90 days. */
  const saveOn = (session: string, at: number, text = `day ${at}`, client = documents) =>
    dynamoChats(client, 'chats', async () => {}).save(owner, session, saying(text), {
      title: 'A chat',
      expiresAt: start + (at + 90) * day,
      now: new Date((start + at * day) * 1000),
    });
  const dates = async (session: string) => {
    const found: number[] = [];
    for await (const items of everyPage(documents, {
      TableName: 'chats',
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': `${owner}#${session}` },
    })) {
      found.push(...items.map((item) => Number(item['ttl'])));
    }
    return found;
  };
  /** What the table's TTL would have removed by now. */
  const removeExpired = async (session: string, at: number) => {
    const pk = `${owner}#${session}`;
    for await (const items of everyPage(documents, {
      TableName: 'chats',
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
    })) {
      for (const item of items.filter(({ ttl }) => Number(ttl) <= start + at * day))
        await documents.send(new DeleteCommand({ TableName: 'chats', Key: { pk, sk: item['sk'] } }));
    }
  };

  it('moves on with every turn, in whole seconds: an active chat does not end, nor does any turn of it', async () => {
    const session = newId();
    await saveOn(session, 0, `the first ${'x'.repeat(500_000)}`);
    for (let at = 30; at <= 210; at += 30) {
      await removeExpired(session, at);
      await saveOn(session, at);
      expect((await chats().header(owner, session))?.expiresAt).toBe(start + (at + 90) * day);
      for (const date of await dates(session)) expect(date).toBeGreaterThanOrEqual(start + (at + 90) * day);
    }
    const later = new Date((start + 290 * day) * 1000);
    const opened = await openChat(chats(), owner, session, { ...viewer, now: later });
    expect(opened.turns).toHaveLength(8);
    expect(JSON.stringify(opened.turns[0]?.threads)).toContain('the first xxx');
    expect(await liveChats(chats(), owner, later)).toMatchObject([{ session, turns: 8 }]);
    expect(await liveChats(chats(), owner, new Date((start + 300 * day) * 1000))).toEqual([]);
  });

  it('of earlier turns is moved once a week at most, and never back', async () => {
    const session = newId();
    let updates = 0;
    const counting = new Proxy(documents, {
      get: (target, name) =>
        name !== 'send'
          ? Reflect.get(target, name)
          : (command: UpdateCommand) => {
              if (command instanceof UpdateCommand && String(command.input.Key?.['sk']).startsWith('turn#'))
                updates += 1;
              return target.send(command);
            },
    });
    for (let at = 0; at <= 6; at += 1) await saveOn(session, at, `day ${at}`, counting);
    expect(updates).toBe(0);
    await saveOn(session, 7, 'day 7', counting);
    expect(updates).toBe(7);
    for (let at = 8; at <= 13; at += 1) await saveOn(session, at, `day ${at}`, counting);
    expect(updates).toBe(7);
    // Retention was lowered to 10 days: what was promised stays.
    await dynamoChats(documents, 'chats').save(owner, session, saying('short'), {
      title: 'A chat',
      expiresAt: start + 24 * day,
      now: new Date((start + 14 * day) * 1000),
    });
    expect((await chats().header(owner, session))?.expiresAt).toBe(start + 103 * day);
    for (const date of await dates(session)) expect(date).toBeGreaterThanOrEqual(start + 103 * day);
  });

  it('stays away from a chat that never had one', async () => {
    const session = newId();
    const key = { pk: owner, sk: `chat#${session}` };
    await documents.send(new PutCommand({ TableName: 'chats', Item: { ...key, title: 'kept for ever', turns: 0 } }));
    await saveOn(session, 5);
    await saveOn(session, 500, `a turn in parts ${'x'.repeat(500_000)}`);
    expect((await chats().header(owner, session))?.expiresAt).toBeUndefined();
    expect(await dates(session)).toEqual([Number.NaN, Number.NaN, Number.NaN, Number.NaN, Number.NaN]);
  });
});

describe('listing', () => {
  it('is whole over pages of 1 MB: chats of 300 KB, hidden and expired ones, ids in random order', async () => {
    const live: string[] = [];
    for (let at = 0; at < 30; at += 1) {
      const session = newId();
      // Odd headers as wide as bodies once were: the page limit bites in the middle of the list.
      await documents.send(
        new PutCommand({
          TableName: 'chats',
          Item: {
            pk: owner,
            sk: `chat#${session}`,
            title: `chat ${at}`,
            agent: 'assistant',
            turns: 1,
            createdAt: atMinute(at),
            updatedAt: atMinute(at),
            filler: 'f'.repeat(300_000),
            ...(at % 5 === 1 ? { hidden: true } : {}),
            ...(at % 7 === 2 ? { ttl: Math.floor(now.getTime() / 1000) - 3_600 } : { ttl: inAYear }),
          },
        }),
      );
      if (at % 5 !== 1 && at % 7 !== 2) live.unshift(session);
    }
    let pages = 0;
    for await (const _ of everyPage(documents, {
      TableName: 'chats',
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': owner },
    }))
      pages += 1;
    expect(pages).toBeGreaterThan(5);
    const first = await listChats(chats(), owner, { ...viewer, secret, limit: 7 });
    expect(first.total).toBe(live.length);
    const listed: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await listChats(chats(), owner, {
        ...viewer,
        secret,
        limit: 7,
        ...(cursor === undefined ? {} : { cursor }),
      });
      listed.push(...page.chats.map(({ session }) => session));
      cursor = page.cursor;
    }
    expect(listed).toEqual(live);
  }, 60_000);

  it('reads no body, whatever stands in the chats', async () => {
    const session = newId();
    await chats().save(owner, session, saying('x'.repeat(1_500_000)), chat());
    const capacity: number[] = [];
    for await (const _ of everyPage(
      documents,
      { TableName: 'chats', KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': owner } },
      (units) => capacity.push(units),
    )) {
      /* counted */
    }
    expect(capacity.reduce((sum, units) => sum + units, 0)).toBeLessThanOrEqual(1);
    expect(await liveChats(chats(), owner, now)).toHaveLength(1);
  });

  it('shows nothing of another owner, hidden or expired; those cannot be opened or continued (case H066)', async () => {
    const { now: seconds, rows } = JSON.parse(readFileSync(fixture('ttl-items.json'), 'utf8')) as {
      now: number;
      rows: { chat: string; ttl?: number; listed: boolean }[];
    };
    const then = new Date(seconds * 1000);
    const sessions = new Map(rows.map((row) => [row.chat, newId()]));
    for (const row of rows) {
      await documents.send(
        new PutCommand({
          TableName: 'chats',
          Item: {
            pk: owner,
            sk: `chat#${sessions.get(row.chat)}`,
            title: row.chat,
            agent: 'a',
            turns: 1,
            createdAt: atMinute(0),
            updatedAt: atMinute(0),
            ttl: row.ttl,
          },
        }),
      );
    }
    const page = await listChats(chats(), owner, { ...viewer, now: then, secret });
    expect(page.chats.map(({ title }) => title).sort()).toEqual(
      rows
        .filter(({ listed }) => listed)
        .map((row) => row.chat)
        .sort(),
    );
    for (const row of rows) {
      const session = sessions.get(row.chat) as string;
      const open = openChat(chats(), owner, session, { ...viewer, now: then });
      const goOn = assertContinuable(chats(), owner, session, then);
      const save = () =>
        chats().save(owner, session, saying('again'), { title: 't', expiresAt: seconds + 10_000, now: then });
      if (row.listed) {
        await expect(open).resolves.toMatchObject({ title: row.chat });
        await expect(goOn).resolves.toBeUndefined();
        await expect(save()).resolves.toMatchObject({ created: true });
      } else {
        await expect(open).rejects.toMatchObject({ code: 'NotFound' });
        await expect(goOn).rejects.toMatchObject({ code: 'NotFound' });
        await expect(save()).rejects.toMatchObject({ code: 'Expired' });
      }
    }
    expect((await listChats(chats(), ownerKey('somebody-else'), { ...viewer, now: then, secret })).total).toBe(0);
    await expect(
      openChat(chats(), ownerKey('somebody-else'), sessions.get('live'), { ...viewer, now: then }),
    ).rejects.toMatchObject({ code: 'NotFound' });
    await chats().hide(owner, sessions.get('live') as string);
    await expect(openChat(chats(), owner, sessions.get('live'), { ...viewer, now: then })).rejects.toMatchObject({
      code: 'NotFound',
    });
  });

  it('takes only cursors that it gave to this owner (case H069)', async () => {
    for (let at = 0; at < 3; at += 1) await chats().save(owner, newId(), saying(`${at}`), chat());
    const { cursor } = await listChats(chats(), owner, { ...viewer, secret, limit: 1 });
    const { rows } = JSON.parse(readFileSync(fixture('cursors.json'), 'utf8')) as { rows: { cursor: string }[] };
    for (const { cursor: forged } of rows) {
      await expect(listChats(chats(), owner, { ...viewer, secret, cursor: forged })).rejects.toMatchObject({
        code: 'InvalidInput',
      });
    }
    await expect(listChats(chats(), ownerKey('thief'), { ...viewer, secret, cursor })).rejects.toMatchObject({
      code: 'InvalidInput',
    });
    expect((await listChats(chats(), owner, { ...viewer, secret, cursor, limit: 200 })).chats).toHaveLength(2);
  });
});

describe('every page of a query (case H064)', () => {
  const { cases } = JSON.parse(readFileSync(fixture('query-pages.json'), 'utf8')) as {
    cases: {
      name: string;
      pages: { Items?: string[]; LastEvaluatedKey?: Record<string, unknown>; error?: string }[];
    }[];
  };
  it.each(cases)('$name', async ({ pages }) => {
    let asked = 0;
    const client = {
      send: async () => {
        const page = pages[asked] ?? { Items: [] };
        asked += 1;
        if (page.error !== undefined) throw Object.assign(new Error('slow down'), { name: page.error });
        return { ...page, Items: page.Items?.map((title) => ({ pk: owner, sk: `chat#${title}`, title })) };
      },
    };
    const titles: string[] = [];
    for await (const page of dynamoChats(client as never, 'chats').headers(owner))
      titles.push(...page.map(({ title }) => title));
    expect(titles).toEqual(['c1', 'c2', 'c3', 'c4', 'c5']);
    expect(asked).toBe(pages.length);
  });
});
