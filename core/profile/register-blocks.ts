/** Who holds registers in a block. */
export interface BlockHolder {
  /** Nothing more is expected to come: the block may be had by another. */
  readonly settled: boolean;
  /** Takes the registers out of the block, which is another's from now on. */
  leave(): void;
}

/**
 * Blocks of memory for the registers of sketches, lent out. A block is free again once its holder has settled or is no
 * more, so that nobody needs to give any back; the lowest free one is taken, so that no more of them are ever touched
 * than were held at once.
 */
export class RegisterBlocks {
  private readonly bytes: Uint8Array;
  private readonly first: number;
  private readonly size: number;
  private readonly holders: (WeakRef<BlockHolder> | undefined)[];

  /** `count` blocks of `size` bytes from `bytes[first]` on. */
  constructor(bytes: Uint8Array, first: number, size: number, count: number) {
    this.bytes = bytes;
    this.first = first;
    this.size = size;
    this.holders = new Array<WeakRef<BlockHolder> | undefined>(count).fill(undefined);
  }

  /** The block's offset, all its bytes zero; 0 when all blocks are held. */
  take(holder: BlockHolder): number {
    const { bytes, first, size, holders } = this;
    for (let index = 0; index < holders.length; index += 1) {
      const held = holders[index]?.deref();
      if (held !== undefined && !held.settled) continue;
      held?.leave();
      holders[index] = new WeakRef(holder);
      const block = first + index * size;
      bytes.fill(0, block, block + size);
      return block;
    }
    return 0;
  }

  /** The bytes of a block. */
  at(block: number): Uint8Array {
    return this.bytes.subarray(block, block + this.size);
  }
}
