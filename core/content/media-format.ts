/** What the Converse API takes (API reference: ImageBlock, DocumentBlock, VideoBlock). */
export const imageFormats: readonly string[] = ['png', 'jpeg', 'gif', 'webp'];
export const documentFormats: readonly string[] = ['pdf', 'csv', 'doc', 'docx', 'xls', 'xlsx', 'html', 'txt', 'md'];
export const videoFormats: readonly string[] = ['mkv', 'mov', 'mp4', 'webm', 'flv', 'mpeg', 'mpg', 'wmv', 'three_gp'];

const aliases: Readonly<Record<string, string>> = {
  jpg: 'jpeg',
  pjpeg: 'jpeg',
  'x-png': 'png',
  htm: 'html',
  text: 'txt',
  plain: 'txt',
  markdown: 'md',
  'x-markdown': 'md',
  msword: 'doc',
  'vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'vnd.ms-excel': 'xls',
  'vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  quicktime: 'mov',
  'x-matroska': 'mkv',
  'x-msvideo': 'avi',
  'x-flv': 'flv',
  'x-ms-wmv': 'wmv',
  '3gp': 'three_gp',
  '3gpp': 'three_gp',
};

/** A format in the service's spelling, from a format, a file extension or a media type (`image/jpg`, `.JPG`, `jpg`). */
export function formatName(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/^\.|;.*$/g, '')
    .replace(/^(image|text|application|video)\//, '')
    .trim();
  return Object.hasOwn(aliases, plain) ? (aliases[plain] as string) : plain;
}

/** The format that an image's first bytes say; null for none of the four. */
export function sniffedImageFormat(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'gif';
  if (head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP') return 'webp';
  return null;
}
