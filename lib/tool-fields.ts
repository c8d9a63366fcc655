import { summaryFormats, type ToolDefinition } from '../core/tool/tool-definition.ts';
import type { Config } from './config.ts';

type Fields = Readonly<Record<string, unknown>>;
type Refuse = (field: string, message: string) => void;
/** Says what is wrong with one field of an entry; nothing when it is right. */
type Rule = (tool: Partial<ToolDefinition>, refuse: Refuse, config: Config) => void;

/** What each field of a catalogue entry must be. Types say the same, but an entry may come from data. */
export const fieldRules: readonly Rule[] = [
  ({ name }, refuse) => {
    if (!/^[a-z][a-z0-9_]{0,47}$/.test(name ?? '')) refuse('name', 'must match ^[a-z][a-z0-9_]{0,47}$');
  },
  ({ version }, refuse) => {
    if (!isText(version)) refuse('version', 'is required: a text that changes when its results do');
  },
  ({ description }, refuse) => {
    if (!isText(description)) refuse('description', 'is required: models choose tools by it');
  },
  ({ inputSchema }, refuse) => {
    if (!isFields(inputSchema) || inputSchema['type'] !== 'object') {
      refuse('inputSchema', 'must be a JSON Schema of type object');
    }
  },
  ({ budgetBytes, builtin }, refuse, config) => {
    if (!isCount(budgetBytes)) refuse('budgetBytes', 'is required, in bytes');
    // What the platform answers itself is an explicit read, held to a setting of its own when it runs (DESIGN 5.7).
    else if (builtin !== true && budgetBytes > config.insert.maxBytes) {
      refuse('budgetBytes', `is ${budgetBytes}, more than insert.maxBytes (${config.insert.maxBytes})`);
    }
  },
  ({ summary }, refuse) => {
    if (summary === undefined || summaryFormats.includes(summary)) return;
    refuse('summary', `must be one of ${summaryFormats.join(', ')}`);
  },
  ({ storageMaxBytes }, refuse, config) => {
    if (storageMaxBytes === undefined) return;
    if (!isCount(storageMaxBytes)) refuse('storageMaxBytes', 'must be a number of bytes');
    else if (storageMaxBytes > config.storage.maxBytes) {
      refuse('storageMaxBytes', `is ${storageMaxBytes}, more than storage.maxBytes (${config.storage.maxBytes})`);
    }
  },
  ({ roles }, refuse) => {
    if (!isTexts(roles)) refuse('roles', 'is required: names of roles; an empty list admits nobody');
  },
  ({ retry }, refuse) => {
    if (retry !== 'idempotent' && retry !== 'once') refuse('retry', 'must be idempotent or once');
  },
  ({ intake }, refuse) => {
    if (intake !== 'wrapper' && intake !== 'answer') refuse('intake', 'must be wrapper or answer');
  },
  ({ exports, intake }, refuse) => {
    if (exports !== undefined && typeof exports !== 'boolean') refuse('exports', 'must be true or false');
    else if (exports === true && intake !== 'wrapper') refuse('exports', 'needs the intake wrapper');
  },
  ({ population }, refuse) => {
    if (population !== 'finite' && population !== 'open') refuse('population', 'must be finite or open');
  },
  ({ timeoutMs }, refuse) => {
    if (!isCount(timeoutMs)) refuse('timeoutMs', 'is required, in milliseconds');
  },
  ({ reuse, retry }, refuse) => {
    if (reuse === undefined) return;
    if (!isFields(reuse) || !isCount(reuse['maxAgeSeconds'])) refuse('reuse', 'must have maxAgeSeconds, in seconds');
    else if (retry === 'once') refuse('reuse', 'is for tools without side effects: this one has retry once');
  },
  ({ view }, refuse) => {
    if (view === undefined) return;
    const lists = isFields(view) ? Object.values(view) : [];
    if (!isFields(view) || !lists.every(isTexts)) refuse('view', 'must list the fields that each role keeps');
    else if (lists.length === 0) refuse('view', 'names no role: nobody would keep a field');
  },
  ({ identity, inputSchema }, refuse) => {
    if (identity === undefined) return;
    if (!isFields(identity) || !isText(identity['field'])) refuse('identity', 'must name the field of the identifier');
    const from = isFields(identity) ? identity['expectedFrom'] : undefined;
    if (from === undefined) return;
    const arguments_ = isFields(inputSchema) ? inputSchema['properties'] : undefined;
    if (!isText(from) || !isFields(arguments_) || !Object.hasOwn(arguments_, from)) {
      refuse('identity', `expectedFrom must name an argument of the tool, found ${JSON.stringify(from)}`);
    }
  },
];

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}
