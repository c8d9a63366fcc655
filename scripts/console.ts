import path from 'node:path';
import { buildConsole } from '../console/build.ts';

/** `npm run console`: the page as it is deployed, in `dist/console`. */
const folder = path.resolve(import.meta.dirname, '../dist/console');
buildConsole(folder);
process.stdout.write(`${folder}\n`);
