// AssemblyScript, compiled by `npm run kernel`: not TypeScript. Where everything lies in the kernel's one memory; the
// host asks for these numbers by their exported names.

/** Columns that the kernel can hold; records with more are read outside. */
export const columnLimit: i32 = 64;
export const columnBytes: i32 = 128;
/** Values of one column that wait to be counted, and the bytes of one. */
export const slabValues: i32 = 128;
export const valueBytes: i32 = 32;
/** Bytes of the piece that is being read, and of the zeros behind it: what is read past its end is no JSON. */
export const pieceLimit: i32 = 64 * 1024;
export const piecePad: i32 = 64;

/** Two lanes of a hash that the host made. */
export const hostLanes: i32 = 0x100;
/** 10^0 to 10^22. */
export const powers: i32 = 0x200;
/** Per tree of columns: the column expected first, and any column of it. */
export const trees: i32 = 0x400;
export const treeBytes: i32 = 8;
export const columns: i32 = 0x1000;
/** Keys' bytes, each followed by 16 of its neighbour's or nobody's. */
export const spellings: i32 = 0x4000;
export const spellingLimit: i32 = 0x6000;
export const piece: i32 = 0x10000;
export const slabs: i32 = 0x30000;

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
