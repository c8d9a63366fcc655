import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../lib/bundling.ts';
import { buildEnginePrograms, enginePackages, programsFolder } from '../lib/engine-programs.ts';
import { lockedPackage, lockedPackagesFile } from '../lib/native-packages.ts';
import { archiveName } from '../lib/prepared-bundles.ts';
import { argumentsOf } from './arguments.ts';
import { manifestOf } from './build-package/manifest.ts';
import { thirdPartyNotices } from './build-package/notices.ts';
import { preparedBundles } from './build-package/prepare-bundles.ts';

/**
 * `npm run package`: compiles the library into `dist/package` (ES modules and declarations), puts the deployed functions
 * in ready bundles and the engine's programs beside it, and packs it into `dist/<name>-<version>.tgz`.
 */
argumentsOf({
  name: 'package',
  usage: `npm run package

Builds the library with its functions ready to deploy into dist/package, and packs it into dist/.
`,
});
const folder = join(projectRoot, 'dist', 'package');
rmSync(folder, { recursive: true, force: true });
const compiler = join(projectRoot, 'node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [compiler, '-p', 'tsconfig.package.json'], { cwd: projectRoot, stdio: 'inherit' });
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifestOf(projectRoot, folder), null, 2)}\n`);
for (const name of ['README.md', 'LICENSE']) copyFileSync(join(projectRoot, name), join(folder, name));
chmodSync(join(folder, 'adapters/mcp/main.js'), 0o755);

const { archive, inputs } = await preparedBundles();
writeFileSync(join(folder, archiveName), archive);
writeFileSync(join(folder, 'THIRD-PARTY.txt'), thirdPartyNotices(inputs));
buildEnginePrograms(join(folder, programsFolder));
const native = [...new Set([...enginePackages('arm64'), ...enginePackages('x64')])];
const locked = native.map((name) => {
  const { version, integrity } = lockedPackage(name);
  return [`node_modules/${name}`, { version, integrity }];
});
writeFileSync(join(folder, lockedPackagesFile), `${JSON.stringify({ packages: Object.fromEntries(locked) })}\n`);

execFileSync('npm', ['pack', folder, '--pack-destination', join(projectRoot, 'dist'), '--silent'], {
  cwd: projectRoot,
  stdio: 'inherit',
});
