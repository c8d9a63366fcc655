/** Bytes of the first chunks, and how many chunks there are of each size before it doubles. */
const firstSize = 64 * 1024;
const chunksPerSize = 4096;
const firstLevelBytes = firstSize * chunksPerSize;

/**
 * Byte offset at which chunk `i` begins: 64 KiB chunks, doubling after every 4,096 chunks, so that the table of a
 * body of n bytes has about 4,096 · log2(n / 128 MiB) entries (18,000 for 5 GiB) and a read of few records costs one
 * small chunk up to 256 MiB. A pure
 * function of `i`: the schedule is part of the stored format and never depends on the content.
 */
export function chunkStart(i: number): number {
  const level = Math.floor(i / chunksPerSize);
  const scale = 2 ** level;
  return firstLevelBytes * (scale - 1) + (i - level * chunksPerSize) * firstSize * scale;
}

/** The chunk that holds the byte at `offset`. */
export function chunkOf(offset: number): number {
  const level = Math.floor(Math.log2(offset / firstLevelBytes + 1));
  const scale = 2 ** level;
  return level * chunksPerSize + Math.floor((offset - firstLevelBytes * (scale - 1)) / (firstSize * scale));
}

/** Chunks that a body of `bytes` bytes has; none when it is empty. */
export function chunkCount(bytes: number): number {
  return bytes === 0 ? 0 : chunkOf(bytes - 1) + 1;
}
