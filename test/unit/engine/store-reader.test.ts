import { ClaimcheckError } from '../../../core/errors.ts';
import { storeReader, storeUrl } from '../../../engine/store-reader.ts';
import { ada, anId, aSession } from '../../fakes/stored-result.ts';

const address = { owner: ada, session: aSession, id: anId };
const input = { name: 'data', url: storeUrl(address) };
const never = <T>() => new Promise<T>(() => {});
const head = { bytes: 8, etag: '"e"', metadata: {} as never };
const soon = () => AbortSignal.timeout(50);

/** A store that holds its bodies in memory and hands them out as they are. */
const holding = (...pieces: readonly Uint8Array[]) => ({
  headBody: async () => head,
  readBody: async () =>
    (async function* () {
      yield* pieces;
    })(),
});

test('what is taken may be written over: the store still holds its own', async () => {
  const held = [Buffer.from('{"a":1},'), Buffer.from('{"a":2}')];
  const taken: Uint8Array[] = [];
  await storeReader(holding(...held))(input, soon(), (piece) => {
    taken.push(Buffer.from(piece));
    piece.fill(0x20);
  });
  expect(Buffer.concat(taken).toString('utf8')).toBe('{"a":1},{"a":2}');
  expect(Buffer.concat(held).toString('utf8')).toBe('{"a":1},{"a":2}');
});

test.each([
  ['looking for it', { ...holding(), headBody: () => never<typeof head>() }],
  ['opening it', { ...holding(), readBody: () => never<AsyncGenerator<Uint8Array>>() }],
  [
    'a piece of it',
    {
      ...holding(),
      readBody: async () =>
        (async function* () {
          yield Buffer.from('some');
          await never();
        })(),
    },
  ],
])('a store that hangs while %s is waited for as long as the job may take', async (_, store) => {
  await expect(storeReader(store)(input, soon(), () => {})).rejects.toMatchObject({
    code: 'StorageUnavailable',
    message: 'data: the stored copy came too slowly',
  });
});

test('a signal that has come already', async () => {
  const taken: Uint8Array[] = [];
  const read = storeReader(holding(Buffer.from('x')))(input, AbortSignal.abort(), (piece) => taken.push(piece));
  await expect(read).rejects.toMatchObject({ code: 'StorageUnavailable' });
  expect(taken).toEqual([]);
});

test('what a store says of its own trouble is not handed on', async () => {
  const store = {
    ...holding(),
    readBody: async () => {
      throw new Error('EACCES: /secret/place');
    },
  };
  const error = await storeReader(store)(input, soon(), () => {}).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ClaimcheckError);
  expect(error).toMatchObject({
    code: 'StorageUnavailable',
    message: 'data: the stored copy cannot be read right now',
  });
});

test('whoever takes no more hears its own failure, and the store is told', async () => {
  let ended = false;
  const store = {
    ...holding(),
    readBody: async () =>
      (async function* () {
        try {
          for (;;) yield Buffer.from('x');
        } finally {
          ended = true;
        }
      })(),
  };
  const enough = new RangeError('enough');
  await expect(
    storeReader(store)(input, soon(), () => {
      throw enough;
    }),
  ).rejects.toBe(enough);
  expect(ended).toBe(true);
});

test.each([undefined, head])('a body that is not there (%#)', async (found) => {
  const store = { headBody: async () => found, readBody: async () => undefined };
  await expect(storeReader(store)(input, soon(), () => {})).rejects.toMatchObject({
    message: 'data: the stored copy is not there',
  });
});
