const deep = (open: string, close: string, levels: number) => `${open.repeat(levels)}1${close.repeat(levels)}`;

/** Alike at the head, where it is decided how all are read. */
const alike = (last: readonly string[]) =>
  `[${[...Array.from({ length: 4_000 }, (_, n) => `{"id":${n},"t":"text ${n}"}`), ...last].join(',')}]`;

/** Bodies that a tool may have stored, made to break whoever reads them. */
export const hostileBodies: readonly (readonly [name: string, body: string | Uint8Array])[] = [
  ['lists within lists', `[{"a":${deep('[', ']', 5_000)}}]`],
  ['objects within objects', `[{"a":${deep('{"b":', '}', 5_000)}}]`],
  ['20,000 different keys', JSON.stringify(Array.from({ length: 20_000 }, (_, n) => ({ [`key ${n}`]: n })))],
  ['keys twice, keys of JavaScript', '[{"a":1,"a":2,"__proto__":{"x":1},"constructor":"c","A":3},{"":1}]'],
  ['numbers without end', `[{"n":${'9'.repeat(5_000)}},{"n":1e99999},{"n":-0.0},{"n":1e-400}]`],
  ['halves of pairs, zeros, odd escapes', '[{"t":"\\ud800"},{"t":"\\u0000"},{"t":"\\udc00\\ud800"},{"\\ud800":1}]'],
  [
    'bytes that are no text',
    Buffer.concat([
      Buffer.from('[{"t":"'),
      Buffer.from([0xff, 0xfe, 0xc0, 0x80, 0xed, 0xa0, 0x80]),
      Buffer.from('"}]'),
    ]),
  ],
  ['a file of another kind', Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(5_000, 7), Buffer.from('PAR1')])],
  ['a database', Buffer.concat([Buffer.alloc(8), Buffer.from('DUCK'), Buffer.alloc(4_096, 1)])],
  [
    'a table that is none',
    `a,b\n${Array.from({ length: 500 }, (_, n) => `"${n}","=cmd|' /C calc'!A0"`).join('\n')}\n"open`,
  ],
  [
    'names that are queries',
    JSON.stringify([{ '"; DROP TABLE data; --': 1, "'); COPY data TO 'x": 2, 'SELECT 1': 3 }]),
  ],
  ['one record of 9 MB', JSON.stringify([{ text: 'x'.repeat(9 * 1024 * 1024) }])],
  [
    'types that change',
    JSON.stringify(Array.from({ length: 300 }, (_, n) => ({ v: [n, `${n}`, [n], { n }, null, true][n % 6] }))),
  ],
  [
    'texts made of what stands between records',
    alike(['{"id":1,"t":"},{"}', '{"t":"},{","id":2}', '{"id":3,"t":"}]"}']),
  ],
  [
    'keys in disguise behind plain records',
    alike(['{"\\u0069d":1,"t":"x"}', '{"id":2,"\\u0069d":3,"t":"\\u0000"}', '{}']),
  ],
];
