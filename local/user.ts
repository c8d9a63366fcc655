import { readOutputs } from './deploy.ts';
import { output } from './platform.ts';
import { runningPlatform } from './running.ts';
import { carryOut, userCommand } from './user-command.ts';
import { LocalUsers } from './users.ts';

/** `npm run -s user -- …`: be one of the local people, or change what they may do, while the local platform runs. */
async function main(): Promise<number> {
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const command = userCommand(process.argv.slice(2));
  const { folder, memory, url } = runningPlatform();
  const outputs = readOutputs(folder);
  const users = new LocalUsers(url, output(outputs, 'UserPoolId'), output(outputs, 'UserPoolClientId'));
  process.stdout.write(await carryOut(command, users, memory.passwords));
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`user: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
