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
    | 'runCount'
    | 'runFirstStart'
    | 'runLineFeed'
    | 'tallyEstimate'
    | 'tallyOpen'
    | 'tallySum'
    | 'tallyLowest'
    | 'tallyHighest'
    | 'tallyShortest'
    | 'tallyLongest'
    | 'tallyEarliest'
    | 'tallyLatest'
    | 'tallyEarliestAt'
    | 'tallyLatestAt'
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
    | 'blocks'
    | 'blockBytes'
    | 'blockCount'
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

/** The functions of `assembly/records.ts`; places are byte offsets in the memory. */
export interface KernelExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  run(from: number, stop: number, most: number, root: number, whole: number, known: number, lines: number): number;
  kinds(first: number, end: number): number;
  withoutNulls(first: number, end: number): number;
  integers(first: number, end: number): number;
  lengths(first: number, end: number): void;
  numbers(first: number, end: number): number;
  dates(first: number, end: number): number;
  sketch(first: number, end: number, registers: number): void;
}
