import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { imageTokens, maxImageTokens } from '../../../core/content/image-cost.ts';
import { imageSize } from '../../../core/content/image-size.ts';

const image = (bytes: Uint8Array) => ({ image: { format: 'png', source: { bytes } } });

function pngHeader(width: number, height: number, length = 24): Buffer {
  const bytes = Buffer.alloc(length, 7);
  bytes.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

const headers: [string, number[], { width: number; height: number }][] = [
  ['GIF', [...Buffer.from('GIF89a'), 0x40, 1, 0xf0, 0], { width: 320, height: 240 }],
  ['JPEG', [0xff, 0xd8, 0xff, 0xe0, 0, 4, 9, 9, 0xff, 0xc2, 0, 17, 8, 0, 240, 1, 64, 3], { width: 320, height: 240 }],
  [
    'WebP VP8X',
    [...Buffer.from('RIFF0000WEBPVP8X0000'), 0, 0, 0, 0, 0x3f, 1, 0, 0xef, 0, 0],
    { width: 320, height: 240 },
  ],
  [
    'WebP VP8L',
    [...Buffer.from('RIFF0000WEBPVP8L0000'), 0x2f, 0x3f, 0xc1, 0x3b, 0, 0, 0, 0, 0, 0],
    { width: 320, height: 240 },
  ],
  [
    'WebP VP8',
    [...Buffer.from('RIFF0000WEBPVP8 0000'), 0, 0, 0, 0x9d, 1, 0x2a, 0x40, 1, 0xf0, 0],
    { width: 320, height: 240 },
  ],
];

test.each(headers)('%s: the size stands in the header', (_, bytes, size) => {
  expect(imageSize(Uint8Array.from(bytes))).toEqual(size);
});

test('H019: an image costs by its pixels, the same for 300 KB and for 700 KB', () => {
  const { bytes } = JSON.parse(readFileSync(join(__dirname, '../../fixtures/cases/image-result.json'), 'utf8'))
    .toolResult.content[1].image.source;
  expect(imageTokens(image(Buffer.from(bytes, 'base64')))).toBe(Math.ceil(92 / 28) * Math.ceil(92 / 28));
  expect(imageTokens(image(pngHeader(1000, 1000, 300_000)))).toBe(36 * 36);
  expect(imageTokens(image(pngHeader(1000, 1000, 700_000)))).toBe(36 * 36);
});

test('at most what the service scales down to; that much too where the pixels are not known', () => {
  expect(imageTokens(image(pngHeader(8000, 8000)))).toBe(maxImageTokens);
  expect(imageTokens(image(Buffer.from('no image')))).toBe(maxImageTokens);
  expect(imageTokens({ image: { format: 'png', source: { s3Location: { uri: 's3://b/k' } } } })).toBe(maxImageTokens);
  expect(imageTokens(image(pngHeader(1, 1)))).toBe(1);
});

test('no header whatever makes it throw', () => {
  for (const [, bytes] of headers) {
    for (let length = 0; length <= bytes.length; length += 1) imageSize(Uint8Array.from(bytes.slice(0, length)));
  }
  expect(imageSize(Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0]))).toBeNull();
});
