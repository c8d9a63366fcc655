import { readOutputs } from './deploy.ts';
import { output } from './platform.ts';
import { runningPlatform } from './running.ts';
import { type LocalUser, LocalUsers, localUsers } from './users.ts';

const people = Object.entries(localUsers).map(([name, roles]) => `${name} (${roles.join(', ')})`);
const usage = `npm run -s user -- token USER        prints a bearer token of this user
npm run -s user -- take USER ROLE    takes a role away, until "give" or the next start
npm run -s user -- give USER ROLE
Users, and the roles that each begins with: ${people.join(', ')}.
`;

/** `npm run -s user -- …`: be one of the local people, or change what they may do, while the local platform runs. */
async function main(): Promise<number> {
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const [what, user, role] = process.argv.slice(2);
  const known = what === 'token' || ((what === 'take' || what === 'give') && role !== undefined);
  if (!known || !isLocalUser(user)) {
    process.stderr.write(usage);
    return 2;
  }
  const { folder, memory, url } = runningPlatform();
  const outputs = readOutputs(folder);
  const users = new LocalUsers(url, output(outputs, 'UserPoolId'), output(outputs, 'UserPoolClientId'));
  if (what === 'token') process.stdout.write(`${await users.token(user, memory.passwords[user] ?? '')}\n`);
  else if (role !== undefined) await users[what](user, role);
  return 0;
}

function isLocalUser(name: string | undefined): name is LocalUser {
  return name !== undefined && Object.hasOwn(localUsers, name);
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`user: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
