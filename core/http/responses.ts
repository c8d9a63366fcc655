import type { Basis } from '../basis/basis.ts';
import type { Profile } from '../profile/profile.ts';
import type { ResultLink } from './links.ts';

/** What the HTTP API answers, member by member; the console reads exactly these (docs/people.md). */

/** Whether somebody may open a thing now: the gate's answer, then the date's. */
export type Availability = 'available' | 'expired' | 'not_allowed';

export interface RunResponse {
  readonly runId: string;
  readonly session: string;
  readonly agent: string;
  readonly status: 'admitted' | 'succeeded' | 'failed';
  readonly admittedAt: string;
  readonly endedAt: string | null;
  /** One sentence for a person. */
  readonly failure: string | null;
  readonly answer: string | null;
  readonly links: readonly ResultLink[];
  readonly basis: Basis | null;
  /** Tool calls that have ended so far, oldest first. */
  readonly steps: readonly { readonly tool: string; readonly status: 'success' | 'error' }[];
}

export interface ChatRow {
  readonly session: string;
  readonly title: string;
  readonly agent: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly turns: number;
  /** False: the roles held now no longer allow some of what it says. */
  readonly allowed: boolean;
}

export interface ChatsResponse {
  /** Newest first. */
  readonly chats: readonly ChatRow[];
  /** All of them, on whatever page. */
  readonly total: number;
  readonly next_cursor: string | null;
  /** Agents that a run can be started with. */
  readonly agents: readonly string[];
}

export interface TurnResponse {
  readonly runId: string;
  readonly agent: string;
  readonly at: string;
  readonly status: 'succeeded' | 'failed';
  readonly failure: string | null;
  /** False: the roles held now no longer allow what the answer was made from, and `answer` is null. */
  readonly allowed: boolean;
  readonly question: string;
  readonly answer: string | null;
  readonly links: readonly ResultLink[];
  readonly basis: Basis;
}

export interface ChatResponse {
  readonly session: string;
  readonly title: string;
  readonly createdAt: string;
  readonly turns: readonly TurnResponse[];
}

/** A stored result as the list shows it. What the gate refuses keeps its place and date, and tells nothing else. */
export interface CatalogRow {
  readonly ref: string;
  readonly state: Availability;
  readonly status: 'stored' | 'refresh_failed';
  readonly tool: string;
  readonly kind: string | null;
  readonly records: number | null;
  readonly unit: 'records' | 'lines';
  readonly file_name: string | null;
  /** Media type of a picture, of which no records or lines are told; null for everything else. */
  readonly picture_type: string | null;
  readonly bytes: number | null;
  readonly sha256: string | null;
  readonly fields: readonly string[];
  readonly acquired_at: string;
  readonly available_until: string;
  readonly version: number;
  readonly supersedes: string | null;
  readonly download_url: string | null;
  readonly export_url: string | null;
}

export interface CatalogResponse {
  /** Newest first. */
  readonly results: readonly CatalogRow[];
  readonly next_cursor: string | null;
}

/** The first records as a table. A cell is the value's own JSON text (digits and all); null: the record lacks it. */
export interface ViewTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
  readonly shown: number;
  readonly total: number;
  /** Columns that were left out because there are too many. */
  readonly columns_left_out: number;
}

export interface ViewResponse extends CatalogRow {
  readonly table: ViewTable | null;
  /** Text results: their first lines. */
  readonly text: string | null;
  readonly profile: Profile | null;
  /** What is known to be missing from the stored copy, as sentences. */
  readonly notes: readonly string[];
}
