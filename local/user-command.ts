import { argumentsOf, refuse } from '../scripts/arguments.ts';
import { type LocalUser, type LocalUsers, localUsers } from './users.ts';

const people = Object.entries(localUsers).map(([name, roles]) => `${name} (${roles.join(', ')})`);
const command = {
  name: 'user',
  usage: `npm run -s user -- token USER        prints a bearer token of this user
npm run -s user -- take USER ROLE    takes a role away, until "give" or the next start
npm run -s user -- give USER ROLE
Users, and the roles that each begins with: ${people.join(', ')}.
`,
  positionals: ['COMMAND', 'USER', 'ROLE'],
} as const;

/** What `npm run -s user` was asked for. */
export type UserCommand =
  | { readonly what: 'token'; readonly user: LocalUser }
  | { readonly what: 'take' | 'give'; readonly user: LocalUser; readonly role: string };

/** Reads the arguments; ends the process where they are wrong. */
export function userCommand(args: readonly string[]): UserCommand {
  const [what, user, role] = argumentsOf(command, args).positionals;
  if (what !== 'token' && what !== 'take' && what !== 'give') {
    return refuse(command, `COMMAND: expected token, take or give, found ${what ?? 'nothing'}`);
  }
  if (!isLocalUser(user)) {
    return refuse(command, `USER: expected one of ${Object.keys(localUsers).join(', ')}, found ${user ?? 'nothing'}`);
  }
  if (what === 'token') {
    return role === undefined ? { what, user } : refuse(command, `ROLE: expected none with token, found ${role}`);
  }
  return role === undefined ? refuse(command, `ROLE: expected a role to ${what}`) : { what, user, role };
}

/** Carries it out; answers what is to be printed: the token, or nothing. */
export async function carryOut(
  command: UserCommand,
  users: Pick<LocalUsers, 'token' | 'take' | 'give'>,
  passwords: Readonly<Record<string, string>>,
): Promise<string> {
  if (command.what === 'token') return `${await users.token(command.user, passwords[command.user] ?? '')}\n`;
  await users[command.what](command.user, command.role);
  return '';
}

function isLocalUser(name: string | undefined): name is LocalUser {
  return name !== undefined && Object.hasOwn(localUsers, name);
}
