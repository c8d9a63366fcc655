import type { ContentBlock, ToolResult } from '../content/block.ts';
import { looksStructured, parsedJson } from '../content/json-text.ts';
import { normaliseResult } from '../content/normalise.ts';
import { viewOf } from './view.ts';

/** A list, object or scalar in which nothing was kept says nothing. */
const nothingKept = /^[\s[\]{},]*$|^\s*null\s*$/;

/**
 * What a run hears of a failed call when its roles keep only some of the tool's fields (DESIGN 7.6). An error is a
 * result like any other: of JSON the kept fields stay (a tool that wants its error codes read lists their path), and
 * free text, in which a record may stand, is withheld for the sentence that says so. Attachments go as well.
 */
export function viewedError(result: ToolResult, kept: readonly string[]): readonly ContentBlock[] {
  const { body } = normaliseResult(result);
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8');
  if (looksStructured(text) && parsedJson(text) !== undefined) {
    const shown = Buffer.from(viewOf(body, kept)).toString('utf8');
    if (!nothingKept.test(shown)) return [{ text: shown }];
  }
  return [{ text: withheldError }];
}

/** Stands for the words of a failed call that no view can reduce. */
export const withheldError =
  'ToolFailed: the tool failed. What it said is withheld, since this run may see only some of its fields.';
