import {
  AdminAddUserToGroupCommand,
  AdminCreateUserCommand,
  AdminInitiateAuthCommand,
  AdminRemoveUserFromGroupCommand,
  AdminSetUserPasswordCommand,
  CognitoIdentityProviderClient,
  CreateGroupCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { credentials, region } from './ministack.ts';

/** The people of the local platform and the roles they hold. */
export const localUsers = {
  olivia: ['ops', 'analyst'],
  arthur: ['analyst'],
} as const satisfies Record<string, readonly string[]>;

export type LocalUser = keyof typeof localUsers;

/** Signs in and changes roles; every call goes to the emulated user pool. */
export class LocalUsers {
  readonly #client: CognitoIdentityProviderClient;
  readonly #pool: string;
  readonly #clientId: string;

  constructor(endpoint: string, userPoolId: string, clientId: string) {
    this.#client = new CognitoIdentityProviderClient({ endpoint, region, credentials });
    this.#pool = userPoolId;
    this.#clientId = clientId;
  }

  /** Makes groups and users that are missing, with these passwords; what is there already stays. */
  async make(passwords: Readonly<Record<LocalUser, string>>): Promise<void> {
    const roles = new Set<string>(Object.values(localUsers).flat());
    for (const role of roles)
      await this.#unlessThere(new CreateGroupCommand({ UserPoolId: this.#pool, GroupName: role }));
    for (const [name, held] of Object.entries(localUsers) as [LocalUser, readonly string[]][]) {
      const attributes = [
        { Name: 'email', Value: `${name}@example.com` },
        { Name: 'email_verified', Value: 'true' },
      ];
      await this.#unlessThere(
        new AdminCreateUserCommand({
          UserPoolId: this.#pool,
          Username: name,
          UserAttributes: attributes,
          MessageAction: 'SUPPRESS',
        }),
      );
      await this.#client.send(
        new AdminSetUserPasswordCommand({
          UserPoolId: this.#pool,
          Username: name,
          Password: passwords[name],
          Permanent: true,
        }),
      );
      for (const role of held) await this.give(name, role);
    }
  }

  async give(user: LocalUser, role: string): Promise<void> {
    await this.#client.send(
      new AdminAddUserToGroupCommand({ UserPoolId: this.#pool, Username: user, GroupName: role }),
    );
  }

  async take(user: LocalUser, role: string): Promise<void> {
    await this.#client.send(
      new AdminRemoveUserFromGroupCommand({ UserPoolId: this.#pool, Username: user, GroupName: role }),
    );
  }

  /** A token as programs send it: the ID token, whose audience is the API's client. */
  async token(user: LocalUser, password: string): Promise<string> {
    const answer = await this.#client.send(
      new AdminInitiateAuthCommand({
        UserPoolId: this.#pool,
        ClientId: this.#clientId,
        AuthFlow: 'ADMIN_USER_PASSWORD_AUTH',
        AuthParameters: { USERNAME: user, PASSWORD: password },
      }),
    );
    const token = answer.AuthenticationResult?.IdToken;
    if (token === undefined) throw new Error(`${user} could not be signed in: ${answer.ChallengeName ?? 'no token'}`);
    return token;
  }

  async #unlessThere(command: CreateGroupCommand | AdminCreateUserCommand): Promise<void> {
    try {
      if (command instanceof CreateGroupCommand) await this.#client.send(command);
      else await this.#client.send(command);
    } catch (error) {
      const name = error instanceof Error ? error.name : '';
      if (name !== 'GroupExistsException' && name !== 'UsernameExistsException') throw error;
    }
  }
}
