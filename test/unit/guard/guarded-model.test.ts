import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { guardedModel } from '../../../core/guard/guarded-model.ts';
import { ModelServiceError } from '../../../core/model/model.ts';
import {
  ask,
  call,
  memoryPutAway,
  memoryReplacements,
  options,
  reply,
  request,
  result,
  rows,
  scripted,
} from './memory.ts';

const overflowErrors = JSON.parse(
  readFileSync(join(__dirname, '../../fixtures/cases/overflow-errors.json'), 'utf8'),
) as { rows: { id: string; name: string; message: string; overflow: boolean }[] };

const history = [ask('go'), call('a'), result('a', rows(60_000)), call('b'), result('b', rows(30_000))];
const place = () => ({ runId: 'r', turn: 3, windowTokens: 200_000, putAway: memoryPutAway() });

describe('overflow (case H003)', () => {
  const tooLong = overflowErrors.rows.filter(({ overflow }) => overflow);
  const others = overflowErrors.rows.filter(({ overflow }) => !overflow);

  it.each(tooLong)('$id: one shrink and one retry', async ({ name, message }) => {
    const model = scripted(new ModelServiceError(name, message, false));
    const replacements = memoryReplacements();
    const { reply: answer } = await guardedModel(model, options(replacements)).converse(request(history), place());
    expect(answer.stopReason).toBe('end_turn');
    expect(model.sent).toHaveLength(2);
    expect(replacements.list.length).toBeGreaterThan(0);
    expect(JSON.stringify(model.sent[1]).length).toBeLessThan(JSON.stringify(model.sent[0]).length);
    expect(model.sent[1]?.tools).toBe(model.sent[0]?.tools);
  });

  it.each(others)('$id: no shrink, no retry', async ({ name, message }) => {
    const model = scripted(new ModelServiceError(name, message, false));
    const replacements = memoryReplacements();
    await expect(guardedModel(model, options(replacements)).converse(request(history), place())).rejects.toMatchObject({
      message,
    });
    expect(model.sent).toHaveLength(1);
    expect(replacements.list).toEqual([]);
  });

  it('takes the stop reason for it, and max_tokens for none', async () => {
    const model = scripted({ ...reply(), stopReason: 'model_context_window_exceeded' });
    await guardedModel(model, options()).converse(request(history), place());
    expect(model.sent).toHaveLength(2);
    const short = scripted({ ...reply(), stopReason: 'max_tokens' });
    await guardedModel(short, options()).converse(request(history), place());
    expect(short.sent).toHaveLength(1);
  });

  it('two in a row: one clear error without the service words, exactly two calls', async () => {
    const words = overflowErrors.rows.find(({ id }) => id === 'o3')?.message ?? '';
    const error = () => new ModelServiceError('ValidationException', words, false);
    const model = scripted(error(), error());
    const failed = guardedModel(model, options()).converse(request(history), place());
    await expect(failed).rejects.toMatchObject({ code: 'ContextOverflow' });
    await expect(failed).rejects.not.toThrow(/214377/);
    expect(model.sent).toHaveLength(2);
  });

  it('with nothing to shrink it does not call again', async () => {
    const model = scripted(new ModelServiceError('ValidationException', 'prompt is too long: 9 > 8', false));
    await expect(guardedModel(model, options()).converse(request([ask('hi')]), place())).rejects.toMatchObject({
      code: 'ContextOverflow',
    });
    expect(model.sent).toHaveLength(1);
  });

  it('a refusal of reasoning blocks is an error of its own', async () => {
    const words =
      'messages.5.content.1: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.';
    const model = scripted(new ModelServiceError('ValidationException', words, false));
    await expect(guardedModel(model, options()).converse(request(history), place())).rejects.toMatchObject({
      code: 'ReasoningRefused',
    });
    expect(model.sent).toHaveLength(1);
  });
});

describe('cache points', () => {
  it('stand after the last two user turns, in a copy, and no more than four in all', async () => {
    const model = scripted();
    const wanted = request(history, { cacheTools: true });
    const { sent } = await guardedModel(model, options()).converse(wanted, place());
    expect(sent).toBe(wanted);
    const marked = model.sent[0]?.messages.map((message) => message.content.some((block) => 'cachePoint' in block));
    expect(marked).toEqual([false, false, true, false, true]);
    expect(JSON.stringify(history)).not.toContain('cachePoint');
  });
});
