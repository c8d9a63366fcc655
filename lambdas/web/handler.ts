import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { respondToWeb, type WebFile } from '../../core/http/web-routes.ts';
import { readEnvironment } from '../environment.ts';
import { httpHandler } from '../http-handler.ts';

const environment = readEnvironment(process.env, 'baseUrl');

/** The console's files lie beside the bundle (`console/build.ts`); read and compressed once per process. */
const files: Readonly<Record<string, WebFile>> = {
  'index.html': file('index.html', 'text/html; charset=utf-8'),
  'app.js': file('app.js', 'text/javascript; charset=utf-8'),
  'app.css': file('app.css', 'text/css; charset=utf-8'),
};

function file(name: string, contentType: string): WebFile {
  const text = readFileSync(path.join(import.meta.dirname, name), 'utf8');
  return {
    contentType,
    text,
    digest: createHash('sha256').update(text).digest('hex').slice(0, 16),
    gzip: (served) => gzipSync(served, { level: 9 }).toString('base64'),
  };
}

/** The console, and the one 404 for every address that is nobody's. */
export const handler = httpHandler(
  'web',
  async (request) => respondToWeb(request, files, environment.baseUrl),
  environment.baseUrl,
);
