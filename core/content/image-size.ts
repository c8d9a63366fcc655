import { sniffedImageFormat } from './media-format.ts';

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Pixels of a PNG, JPEG, GIF or WebP, read off its header; null when the bytes do not say. */
export function imageSize(bytes: Uint8Array): ImageSize | null {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = readers[sniffedImageFormat(bytes) ?? '']?.(view) ?? null;
  return size !== null && size.width > 0 && size.height > 0 ? size : null;
}

const readers: Readonly<Record<string, (view: Buffer) => ImageSize | null>> = {
  png: (view) => (view.length < 24 ? null : { width: view.readUInt32BE(16), height: view.readUInt32BE(20) }),
  gif: (view) => (view.length < 10 ? null : { width: view.readUInt16LE(6), height: view.readUInt16LE(8) }),
  webp: webpSize,
  jpeg: jpegSize,
};

/** The three WebP containers: lossy (VP8), lossless (VP8L), extended (VP8X). */
function webpSize(view: Buffer): ImageSize | null {
  if (view.length < 30) return null;
  const chunk = view.toString('latin1', 12, 16);
  if (chunk === 'VP8 ') return { width: view.readUInt16LE(26) & 0x3fff, height: view.readUInt16LE(28) & 0x3fff };
  if (chunk === 'VP8X') return { width: view.readUIntLE(24, 3) + 1, height: view.readUIntLE(27, 3) + 1 };
  if (chunk !== 'VP8L') return null;
  const bits = view.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

/** Walks a JPEG's segments to the frame header (SOF0 to SOF15, without the tables DHT, JPG and DAC). */
function jpegSize(view: Buffer): ImageSize | null {
  let at = 2;
  while (at + 9 <= view.length) {
    if (view[at] !== 0xff) return null;
    const marker = view[at + 1] as number;
    if (marker === 0xff || (marker >= 0xd0 && marker <= 0xd7) || marker === 0x01) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) {
      return { width: view.readUInt16BE(at + 7), height: view.readUInt16BE(at + 5) };
    }
    at += 2 + view.readUInt16BE(at + 2);
  }
  return null;
}
