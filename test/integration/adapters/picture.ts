import { ToolMessage } from '@langchain/core/messages';
import { DocumentBlock, ImageBlock, TextBlock, VideoBlock } from '@strands-agents/sdk';

/** The smallest PNG: one pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Other files, told apart by their bytes. */
const files = {
  plan: base64('%PDF the plan'),
  sound: base64('RIFF the sound'),
  archive: base64('PK the archive'),
};
/** What Strands has besides images: documents and videos, in the message or in S3. */
const strandsFiles = { plan: files.plan, paper: 's3://bucket/paper.pdf', film: 's3://bucket/film.mp4' };
const inS3 = (uri: string) => ({ location: { type: 's3' as const, uri } });

/** What stands for each file in a request of this framework. */
export function filesOf(framework: string): Readonly<Record<string, string>> {
  return framework === 'strands' ? strandsFiles : files;
}

const mcpFiles = [
  { type: 'resource', resource: { uri: 'a://b/plan.pdf', mimeType: 'application/pdf', blob: files.plan } },
  { type: 'audio', mimeType: 'audio/wav', data: files.sound },
  { type: 'resource', resource: { uri: 'a://b/all.zip', mimeType: 'application/zip', blob: files.archive } },
];
const langchainFiles = [
  { type: 'file', mimeType: 'application/pdf', data: files.plan },
  { type: 'audio', mimeType: 'audio/wav', data: files.sound },
  { type: 'file', mimeType: 'application/zip', data: files.archive },
];

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** What a tool of this framework returns as an image and a text beside it. */
export function picture(framework: string, characters = 400_000): unknown {
  const text = 'words about a picture '.repeat(characters / 22);
  if (framework === 'strands') {
    const bytes = new Uint8Array(Buffer.from(png, 'base64'));
    const plan = { bytes: new Uint8Array(Buffer.from(files.plan, 'base64')) };
    return [
      new ImageBlock({ format: 'png', source: { bytes } }),
      new TextBlock(text),
      new DocumentBlock({ format: 'pdf', name: 'plan', source: plan }),
      new DocumentBlock({ format: 'pdf', name: 'paper', source: inS3(strandsFiles.paper) }),
      new VideoBlock({ format: 'mp4', source: inS3(strandsFiles.film) }),
    ];
  }
  const content: object[] = [
    { type: 'image', mimeType: 'image/png', data: png },
    { type: 'text', text },
  ];
  if (framework === 'ai-sdk') return { content: [...content, ...mcpFiles], isError: false };
  content.push(...langchainFiles);
  const artifact = { of: 'the application' };
  return new ToolMessage({ content: content as ToolMessage['content'], tool_call_id: 'use-1', name: 'rows', artifact });
}
