import { ToolMessage } from '@langchain/core/messages';
import { ImageBlock, TextBlock } from '@strands-agents/sdk';

/** The smallest PNG: one pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** What a tool of this framework returns as an image and a text beside it. */
export function picture(framework: string, characters = 400_000): unknown {
  const text = 'words about a picture '.repeat(characters / 22);
  if (framework === 'strands') {
    const bytes = new Uint8Array(Buffer.from(png, 'base64'));
    return [new ImageBlock({ format: 'png', source: { bytes } }), new TextBlock(text)];
  }
  const content = [
    { type: 'image', mimeType: 'image/png', data: png },
    { type: 'text', text },
  ];
  if (framework === 'ai-sdk') return { content, isError: false };
  const artifact = { of: 'the application' };
  return new ToolMessage({ content: content as ToolMessage['content'], tool_call_id: 'use-1', name: 'rows', artifact });
}
