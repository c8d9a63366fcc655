import type { ViewedReference } from '../chat/open-chat.ts';
import type { Availability } from './responses.ts';

/** A stored result beside an answer. Addresses are made by code from checked ids, never from a model's text. */
export interface ResultLink {
  readonly ref: string;
  readonly state: Availability;
  /** The rest is null for what may not be opened: a refusal tells nothing about its content. */
  readonly tool: string | null;
  readonly records: number | null;
  readonly unit: 'records' | 'lines' | null;
  /** Of a part, as a list export with a limit is one: how many its source holds in all. */
  readonly source_total: number | null;
  readonly bytes: number | null;
  readonly file_name: string | null;
  /** Media type of a picture; null for what has records or lines. */
  readonly picture_type: string | null;
  readonly available_until: string | null;
  readonly download_url: string | null;
  /** The same content as a CSV, where there is one. */
  readonly export_url: string | null;
}

export function linkOf({ ref, state, facts }: ViewedReference, publicBaseUrl: string): ResultLink {
  return {
    ref,
    state,
    tool: facts?.tool ?? null,
    records: facts?.records ?? null,
    unit: facts?.unit ?? null,
    source_total: facts?.sourceTotal ?? null,
    bytes: facts?.bytes ?? null,
    file_name: facts?.fileName ?? null,
    picture_type: facts?.pictureType ?? null,
    available_until: facts?.availableUntil ?? null,
    download_url: facts === undefined ? null : resultAddress(ref, publicBaseUrl),
    export_url: facts?.exportId === undefined ? null : exportAddress(facts.exportId, publicBaseUrl),
  };
}

export function resultAddress(ref: string, publicBaseUrl: string): string {
  return `${publicBaseUrl}/results/${ref}`;
}

export function exportAddress(exportId: string, publicBaseUrl: string): string {
  return `${publicBaseUrl}/exports/${exportId}`;
}
