import type { JsonObject } from '../../../core/json.ts';

/** What people ask about, the tool that knows it, and how the scripted model goes on from there. */
export interface Subject {
  readonly tool: string;
  /** Words of a question that call for the tool. */
  readonly words: RegExp;
  readonly input: (question: string) => JsonObject;
  /** What one record is called, for the answer. */
  readonly noun: string;
  /** Fields worth reading of single records; absent: all. */
  readonly fields?: readonly string[];
  /** Questions that only a computation over the whole can answer, most specific first; `data` is the stored result. */
  readonly analyses: readonly { readonly words: RegExp; readonly sql: string; readonly chart?: JsonObject }[];
}

/** The table of subjects: a new example tool is one more row. */
export const subjects: readonly Subject[] = [
  {
    tool: 'service_status',
    words: /\b(service|services|status|outage|failing)\b/i,
    input: () => ({}),
    noun: 'services',
    fields: ['id', 'region', 'status'],
    analyses: [
      {
        words: /which region.*\bchart\b/i,
        sql: "SELECT region, count(*) AS failing FROM data WHERE status = 'failing' GROUP BY region ORDER BY failing DESC, region",
        chart: { type: 'bar', x: 'region', y: 'failing', title: 'Failing services by region', unit: 'services' },
      },
      {
        words: /which region/i,
        sql: "SELECT region, count(*) AS failing FROM data WHERE status = 'failing' GROUP BY region ORDER BY failing DESC, region LIMIT 3",
      },
      {
        words: /how many.*\bfailing\b/i,
        sql: "SELECT count(*) AS failing FROM data WHERE status = 'failing'",
      },
      {
        words: /which team/i,
        sql: "SELECT team, count(*) AS failing FROM data WHERE status = 'failing' GROUP BY team ORDER BY failing DESC, team LIMIT 3",
      },
    ],
  },
  {
    tool: 'flights',
    words: /\b(flight|flights|delay|delays|airport)\b/i,
    input: () => ({}),
    noun: 'flights',
    analyses: [
      {
        words: /average delay|mean delay/i,
        sql: 'SELECT round(avg(delay), 3) AS average_delay, count(*) AS flights FROM data',
      },
    ],
  },
  {
    tool: 'search_notes',
    words: /\b(note|notes|runbook|follow-up)\b/i,
    input: (question) => {
      const about = /notes (?:about|on) ([a-z ]+?)(?:[.?!,]|$)/i.exec(question)?.[1];
      return about === undefined ? {} : { query: about.trim() };
    },
    noun: 'notes',
    analyses: [],
  },
  {
    tool: 'list_orders',
    words: /\b(order|orders|customers?)\b/i,
    input: () => ({}),
    noun: 'orders',
    analyses: [],
  },
];
