/**
 * The line that stands in a saved chat or a model request where a result was (DESIGN 5.5). The fields are kept in the
 * run and the turn; the line is rendered from them and never parsed back.
 */
export type Marker =
  | {
      readonly kind: 'stored';
      readonly ref: string;
      /** UTF-8 bytes of the whole stored result. */
      readonly bytes: number;
      /** ISO 8601, UTC: after it the marker is not trusted any more. */
      readonly availableUntil: string;
      /** What stands before the marker, and of how many; said in a line of its own. */
      readonly shown?: Shown;
    }
  | {
      readonly kind: 'read';
      readonly ref: string;
      /** null: all fields. */
      readonly fields: readonly string[] | null;
      readonly offset: number;
      readonly limit: number | null;
      readonly availableUntil: string;
    }
  | { readonly kind: 'analysis'; readonly refs: readonly string[]; readonly availableUntil: string }
  /** A listing: nothing stored, asked for again. */
  | { readonly kind: 'repeat'; readonly tool: string; readonly bytes: number }
  /** A failed call's text: bounded, nothing stored (DESIGN 5.7). */
  | { readonly kind: 'error'; readonly bytes: number }
  /** A selection that was just asked for and does not fit the request: said so, never silently a reference. */
  | { readonly kind: 'unfit'; readonly refs: readonly string[]; readonly bytes: number };

export interface Shown {
  readonly count: number;
  readonly total: number;
  readonly unit: 'records' | 'lines';
}

export const noLongerAvailable = '[full result no longer available, run the tool again]';
export const noLongerAllowed = '[no longer allowed]';
export const notKept = '[the rest of this result was not kept]';

/** The line as a model and a person read it; past its date it says so and names nothing that could be opened. */
export function renderMarker(marker: Marker, now: Date): string {
  if (marker.kind === 'error') {
    return `[the error text of ${marker.bytes} bytes is shortened; nothing more of it was kept]`;
  }
  if (marker.kind === 'repeat') {
    return `[earlier answer of ${marker.tool}, ${marker.bytes} bytes; repeat with ${marker.tool}]`;
  }
  if (marker.kind === 'unfit') {
    return `[not delivered: this answer of ${marker.bytes} bytes about ${marker.refs.join(', ')} does not fit the request; 0 records were loaded, selection_complete false, reason request_limit; ask for fewer records or fields, or use analyze_result]`;
  }
  if (hasExpired(marker.availableUntil, now)) return noLongerAvailable;
  switch (marker.kind) {
    case 'stored':
      return `${shownLine(marker.shown)}[full result stored: ref ${marker.ref}, ${marker.bytes} bytes, available until ${marker.availableUntil}; open it with read_result or analyze_result]`;
    case 'read': {
      const fields = marker.fields === null ? 'all' : marker.fields.join(', ');
      return `[earlier read of ${marker.ref}: fields ${fields}, offset ${marker.offset}, limit ${marker.limit ?? 'none'}; repeat with read_result]`;
    }
    case 'analysis':
      return `[earlier analysis of ${marker.refs.join(', ')}; repeat with analyze_result]`;
  }
}

function shownLine(shown: Shown | undefined): string {
  return shown === undefined ? '' : `[${shown.count} of ${shown.total} ${shown.unit} shown]\n`;
}

/** Refused from the instant itself on (DESIGN 6). An unreadable date counts as past. */
export function hasExpired(availableUntil: string, now: Date): boolean {
  return !(Date.parse(availableUntil) > now.getTime());
}
