import { AroundFields } from './around-fields.ts';
import type { BodyFacts, BodyOptions, BodyScan } from './body-scan.ts';
import { ByteStore } from './byte-store.ts';
import { cutLoss, documentLoss } from './json-loss.ts';
import { type JsonEvents, JsonMachine, type JsonRuns } from './json-machine.ts';
import { KeyPath } from './key-path.ts';
import { ListChoice } from './list-choice.ts';
import { ListCollector } from './list-collector.ts';

const everything = Number.MAX_SAFE_INTEGER;

/**
 * One JSON document: finds the list of rows while it goes by (`ListChoice`; a top-level array is it whatever its count).
 * Which one it is shows only at the end, so every array that could still be it keeps books of its own; there are at most
 * two at a time with more than one element. Inside the elements of such an array nothing is looked at.
 */
export class JsonScan implements BodyScan, JsonEvents, JsonRuns {
  readonly #machine: JsonMachine;
  readonly #options: BodyOptions;
  readonly #path = new KeyPath();
  readonly #around: AroundFields;
  readonly #choice = new ListChoice();
  /** Offsets of a second value on a later line: this is NDJSON after all. -1: none. */
  secondValueAt = -1;
  #piece: Uint8Array = new Uint8Array(0);
  #base = 0;
  // Per open container (index = its depth) while everything is tracked.
  readonly #firstByte: number[] = [];
  readonly #count: number[] = [];
  readonly #open: number[] = [];
  readonly #firstStart: number[] = [];
  readonly #firstEnd: number[] = [];
  readonly #firstFate: number[] = [];
  readonly #othersAtOpen: number[] = [];
  #openLists = 0;
  /** Depth of the open array that has at least two elements (or is the document), or -1. */
  #confirmed = -1;
  #list: ListCollector | null = null;
  #listKeys: readonly (Uint8Array | null)[] | null = [];
  #listPath = '';
  /** Bytes from the outermost open array on, until it has a second element. */
  readonly #keep: ByteStore;
  #keepDepth = -1;
  #keepFrom = 0;
  #kept = 0;
  #oddAtStart = 0;
  #scalarFrom = -1;
  #rootStart = -1;
  #rootEnd = -1;
  #trailing = -1;
  #holdsContainers = false;

  constructor(options: BodyOptions, base: number) {
    this.#options = options;
    // A preview of a head knows no totals, so a total beside it would tell nothing.
    this.#around = new AroundFields(options.inHand === undefined);
    this.#machine = new JsonMachine(this, { base });
    this.#keep = new ByteStore(Math.max(options.headBytes, options.sink === null ? 0 : options.maxRecordBytes));
  }

  get rootStart(): number {
    return this.#rootStart;
  }
  get rootEnd(): number {
    return this.#rootEnd;
  }

  write(b: Uint8Array, from: number, to: number): number {
    this.#piece = b;
    const before = this.#machine.base;
    this.#base = before - from;
    const stopped = this.#machine.write(b, from, to);
    if (this.secondValueAt >= 0) return stopped;
    if (this.#keepDepth >= 0) {
      const start = Math.max(this.#kept - this.#base, from);
      this.#keep.append(b, start, to);
      this.#kept = this.#base + to;
    }
    if (this.#scalarFrom >= 0) this.#around.valuePiece(b, Math.max(this.#scalarFrom - this.#base, from), to);
    if (this.#list !== null) this.#list.pieceEnd(b, this.#base, to);
    this.#choice.follow(b, this.#base, from, to);
    return to;
  }

  /** What the head says: JSON, one value a line, or neither. With `atEnd` the head is the whole body. */
  verdict(atEnd: boolean): 'json' | 'lines' | 'other' {
    if (this.secondValueAt >= 0) return 'lines';
    if (this.#trailing >= 0) return 'other';
    const machine = this.#machine;
    const list = this.#list ?? this.#choice.best?.list ?? null;
    const records = list?.index.records ?? 0;
    if (machine.fault >= 0)
      return records > 0 && records >= (list?.bad ?? 0) && this.#holdsContainers ? 'json' : 'other';
    if (!atEnd || machine.wouldEnd) return 'json';
    return records > 0 ? 'json' : 'other';
  }

  valueStart(at: number, depth: number, firstByte: number): void {
    if (firstByte === 0x7b || (firstByte === 0x5b && depth > 0)) this.#holdsContainers = true;
    if (this.#confirmed >= 0) {
      this.#count[this.#confirmed] = (this.#count[this.#confirmed] as number) + 1;
      if (this.#list !== null) {
        this.#oddAtStart = this.#machine.odd;
        this.#list.begin(at);
      }
      return;
    }
    this.#firstByte[depth] = firstByte;
    if (depth === 0) this.#rootStart = at;
    else if (this.#machine.isList(depth - 1)) {
      const count = (this.#count[depth - 1] as number) + 1;
      this.#count[depth - 1] = count;
      if (count === 2) {
        this.#confirm(depth - 1, at);
        return;
      }
      this.#firstStart[depth - 1] = at;
      this.#firstFate[depth - 1] = this.#machine.odd;
    }
    if (firstByte === 0x5b) this.#openList(at, depth);
    else if (firstByte === 0x7b) this.#path.enter(depth);
    else if (this.#openLists === 0 && depth > 0 && depth <= 4 && this.#around.wants) this.#scalarFrom = at;
  }

  valueEnd(end: number, depth: number, bad: boolean): void {
    if (this.#confirmed >= 0) {
      if (depth > this.#confirmed) this.#elementEnd(end, bad);
      else this.#closeConfirmed(end, depth);
    } else if (bad) this.#unwind(depth);
    else if (this.#firstByte[depth] === 0x5b) this.#closeUnconfirmed(depth);
    if (this.#scalarFrom >= 0) {
      const from = Math.max(this.#scalarFrom - this.#base, 0);
      this.#around.value(this.#piece, from, Math.max(end - this.#base, from), this.#path, depth);
      this.#scalarFrom = -1;
    }
    if (depth === 0) this.#rootEnd = end;
    else if (this.#confirmed < 0 && this.#machine.isList(depth - 1)) {
      this.#firstEnd[depth - 1] = end;
      const odd = this.#machine.odd > (this.#firstFate[depth - 1] as number);
      this.#firstFate[depth - 1] = bad ? fate.bad : odd ? fate.odd : fate.good;
    }
  }

  /** The kind is settled: from now on records need not be looked at one by one. */
  settled(): this {
    this.#machine.runs = this;
    return this;
  }

  /** Elements of the list of rows that its profile can read by itself. */
  run(b: Uint8Array, base: number, from: number, to: number): number {
    const list = this.#list;
    if (list === null || this.#confirmed < 0) return from;
    const before = list.index.records;
    const stopped = list.run(b, base, from, to, false);
    this.#count[this.#confirmed] = (this.#count[this.#confirmed] as number) + list.index.records - before;
    return stopped;
  }

  get sawLineFeed(): boolean {
    return this.#list?.sawLineFeed ?? false;
  }

  keyPiece(piece: Uint8Array, start: number, end: number, depth: number, first: boolean): void {
    this.#path.key(piece, start, end, depth - 1, first);
  }

  trailing(at: number): void {
    const oneLine = !this.#machine.brokenOverLines && (this.#firstByte[0] === 0x7b || this.#firstByte[0] === 0x5b);
    if (oneLine) this.secondValueAt = at;
    else this.#trailing = at;
  }

  lineEnd(): void {}

  end(): BodyFacts {
    const whole = this.#machine.end() && this.#trailing < 0;
    const facts = {
      machine: this.#machine,
      trailing: this.#trailing,
      openList: this.#confirmed,
      listEnded: this.#choice.best !== null,
    };
    const cut = whole ? null : cutLoss(facts);
    const unended = this.#choice.best === null || this.#choice.shallowest === this.#confirmed;
    if (this.#confirmed >= 0 && this.#list !== null && unended) this.#offer(this.#machine.base, this.#confirmed);
    const { best, otherLists } = this.#choice;
    const rootEnd = this.#rootEnd < 0 ? this.#machine.base : this.#rootEnd;
    return {
      path: best?.path ?? null,
      list: best?.list ?? null,
      frame: this.#choice.frame(rootEnd, whole),
      root: { start: this.#rootStart, end: rootEnd, whole, odd: this.#machine.odd > 0 },
      otherLists,
      parseLoss: documentLoss(best?.list ?? null, cut, this.#machine),
      around: this.#around.tree,
      table: null,
    };
  }

  #openList(at: number, depth: number): void {
    this.#path.enter(depth);
    this.#openLists += 1;
    this.#count[depth] = 0;
    this.#open[depth] = at;
    this.#othersAtOpen[depth] = this.#choice.named;
    if (depth === 0) {
      this.#confirmed = 0;
      this.#machine.watch = 1;
      this.#choice.admits(0);
      this.#startList(0);
    } else if (this.#keepDepth < 0 && depth <= this.#choice.shallowest) {
      this.#keepDepth = depth;
      this.#keepFrom = at;
      this.#kept = at;
      this.#keep.clear();
    }
  }

  #startList(depth: number): void {
    const sink = this.#options.sink;
    this.#list = new ListCollector(this.#open[depth] as number, this.#options, sink === null ? null : sink());
    this.#listKeys = this.#path.keys(depth, this.#machine);
    this.#listPath = this.#path.text(depth, this.#machine, this.#count);
  }

  /** The array at `depth` has just got its second element, at offset `at`. */
  #confirm(depth: number, at: number): void {
    this.#confirmed = depth;
    this.#machine.watch = depth + 1;
    // Whatever was found inside its first element belongs to a record.
    this.#choice.unname(this.#othersAtOpen[depth] as number);
    if (this.#choice.admits(depth)) {
      this.#startList(depth);
      this.#replayFirst(depth);
      this.#oddAtStart = this.#machine.odd;
      (this.#list as ListCollector).begin(at);
    }
    if (this.#keepDepth === depth) this.#keepDepth = -1;
  }

  /** Gives the list's first element, which went by before the array was known to be a list. */
  #replayFirst(depth: number): void {
    const list = this.#list as ListCollector;
    const kept = this.#keep.view();
    const start = this.#firstStart[depth] as number;
    const end = this.#firstEnd[depth] as number;
    const known = this.#keepDepth >= 0;
    if (known && this.#kept > list.open) {
      list.backfill(kept.subarray(Math.min(kept.length, list.open - this.#keepFrom)), !this.#keep.overflowed);
    }
    list.begin(start);
    if (this.#firstFate[depth] === fate.bad) {
      list.spoil(start);
      return;
    }
    if (start < this.#base && known) {
      const from = Math.min(kept.length, start - this.#keepFrom);
      list.prepend(kept.subarray(from, Math.min(kept.length, Math.min(end, this.#kept) - this.#keepFrom)));
    }
    list.end(this.#piece, this.#base, end, this.#firstFate[depth] === fate.odd);
  }

  #elementEnd(end: number, bad: boolean): void {
    const list = this.#list;
    if (list === null) return;
    if (bad) list.spoil(end);
    else list.end(this.#piece, this.#base, end, this.#machine.odd > this.#oddAtStart);
  }

  #closeConfirmed(end: number, depth: number): void {
    const list = this.#list;
    this.#name(depth, list === null ? (this.#count[depth] as number) : list.index.records);
    if (list !== null) {
      list.pieceEnd(this.#piece, this.#base, end - this.#base);
      this.#offer(end, depth);
      this.#list = null;
    }
    this.#confirmed = -1;
    this.#machine.watch = everything;
    this.#openLists -= 1;
  }

  #closeUnconfirmed(depth: number): void {
    this.#name(depth, this.#count[depth] as number);
    this.#openLists -= 1;
    if (this.#keepDepth === depth) this.#keepDepth = -1;
  }

  /** A fault was left behind in an element of the outermost open array: what was open inside it is gone. */
  #unwind(depth: number): void {
    this.#openLists = 1;
    this.#scalarFrom = -1;
    if (this.#keepDepth >= depth) this.#keepDepth = -1;
  }

  #offer(end: number, depth: number): void {
    const list = this.#list as ListCollector;
    const bytes = end - list.open;
    this.#choice.offer({ list, path: this.#listPath, keys: this.#listKeys, bytes, end }, depth);
  }

  #name(depth: number, count: number): void {
    const path = this.#path.text(depth, this.#machine, this.#count);
    this.#choice.name(path, count, this.#open[depth] as number);
  }
}

const fate = { good: -1, bad: -2, odd: -3 } as const;
