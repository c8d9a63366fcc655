import type { WasmGlobal } from './web-assembly.ts';

/** Where things lie in the kernel's memory, by the names that `assembly/memory.ts` gives them. */
export type KernelLayout = Readonly<
  Record<
    | 'columnLimit'
    | 'columnBytes'
    | 'slabsBytes'
    | 'slabLimit'
    | 'valueBytes'
    | 'pieceLimit'
    | 'piecePad'
    | 'hostLanes'
    | 'powers'
    | 'trees'
    | 'treeBytes'
    | 'columns'
    | 'spellings'
    | 'spellingsBytes'
    | 'powersOfFive'
    | 'powersOfFiveBytes'
    | 'powersOfFiveReach'
    | 'piece'
    | 'slabs'
    | 'columnMask'
    | 'columnLength'
    | 'columnSpelling'
    | 'columnFollowing'
    | 'columnNext'
    | 'columnInside'
    | 'columnCursor'
    | 'columnSalt'
    | 'valueLanes'
    | 'valueStart'
    | 'valueEnd'
    | 'valueLength'
    | 'valueNumber'
    | 'markPlain',
    number
  >
>;

/** What `assembly/records.ts` exports beside: its one function, and what that found. */
export interface KernelExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly count: WasmGlobal;
  readonly firstStart: WasmGlobal;
  readonly sawLineFeed: WasmGlobal;
  run(from: number, stop: number, most: number, root: number, whole: number, known: number, lines: number): number;
}
