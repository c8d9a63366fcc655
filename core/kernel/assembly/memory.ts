// AssemblyScript, compiled by `npm run kernel`: not TypeScript. Where everything lies in the kernel's one memory; the
// host asks for these numbers by their exported names.

/** Columns that the kernel can hold, as many as a profile has, and the column of records that are no objects. */
export const columnLimit: i32 = 513;
export const columnBytes: i32 = 64;
/** Room for values that wait to be counted, shared among the columns; at most so many of one column. */
export const slabsBytes: i32 = 0x42000;
export const slabLimit: i32 = 128;
export const valueBytes: i32 = 32;
/** Bytes of the piece that is being read, and of the zeros behind it: what is read past its end is no JSON. */
export const pieceLimit: i32 = 64 * 1024;
export const piecePad: i32 = 64;

/** Two lanes of a hash that the host made. */
export const hostLanes: i32 = 0x100;
export const scratch: i32 = 0x110;
/** What a run of records was: how many, where the first starts, whether a line feed stood between tokens. */
export const runCount: i32 = 0x120;
export const runFirstStart: i32 = 0x124;
export const runLineFeed: i32 = 0x128;
/** What a tally goes on from and what it comes to (`tally.ts`): doubles, then words. */
export const tallyEstimate: i32 = 0x130;
export const tallyOpen: i32 = 0x138;
export const tallySum: i32 = 0x140;
export const tallyLowest: i32 = 0x148;
export const tallyHighest: i32 = 0x150;
export const tallyShortest: i32 = 0x158;
export const tallyLongest: i32 = 0x15c;
export const tallyEarliest: i32 = 0x160;
export const tallyLatest: i32 = 0x168;
export const tallyEarliestAt: i32 = 0x170;
export const tallyLatestAt: i32 = 0x174;
/** 10^0 to 10^22. */
export const powers: i32 = 0x200;
/** The 128 highest bits of 5^-64 to 5^64, the upper half first. */
export const powersOfFive: i32 = 0x400;
export const powersOfFiveBytes: i32 = 16;
export const powersOfFiveReach: i32 = 64;
/** A word for each value of a run that changed a register. */
export const grown: i32 = 0xd00;
/** Per tree of columns: the column expected first, and any column of it. */
export const trees: i32 = 0x1000;
export const treeBytes: i32 = 8;
export const columns: i32 = 0x3000;
export const piece: i32 = 0x10000;
/** Keys' bytes, each with at least 16 behind it that are its neighbour's or nobody's. */
export const spellings: i32 = 0x21000;
export const spellingsBytes: i32 = 0x25000;
export const slabs: i32 = 0x46000;
/** Registers of sketches, one block for each: pages that nobody has touched take no memory. */
export const blocks: i32 = 0x90000;
export const blockBytes: i32 = 0x10000;
export const blockCount: i32 = 64;

// A column: the first 16 bytes of its spelling (the key's raw bytes and closing quote), and which of them count …
export const columnMask: i32 = 16;
export const columnLength: i32 = 32;
export const columnSpelling: i32 = 36;
/** … the column that followed it last, the next of its tree (in a ring), the tree of the objects inside it (0: none), … */
export const columnFollowing: i32 = 40;
export const columnNext: i32 = 44;
export const columnInside: i32 = 48;
/** … the record that last held it, where its next value is noted, and what tells its values from another column's. */
export const columnStamp: i32 = 52;
export const columnCursor: i32 = 56;
export const columnSalt: i32 = 60;

// A value noted: its kind (`kind.ts`; marks in the bytes above), both lanes, where it stands, its length, its number.
export const valueLanes: i32 = 4;
export const valueStart: i32 = 12;
export const valueEnd: i32 = 16;
export const valueLength: i32 = 20;
export const valueNumber: i32 = 24;
/** An integer of at most 15 digits; of a boolean: true. */
export const markPlain: i32 = 0x100;
export const markEscapes: i32 = 0x10000;
