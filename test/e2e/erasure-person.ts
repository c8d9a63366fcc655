import { randomBytes } from 'node:crypto';
import {
  AdminAddUserToGroupCommand,
  AdminCreateUserCommand,
  AdminDeleteUserCommand,
  AdminInitiateAuthCommand,
  AdminSetUserPasswordCommand,
  CognitoIdentityProviderClient,
} from '@aws-sdk/client-cognito-identity-provider';
import { ownerKey } from '../../core/reference/owner-key.ts';
import { newPassword } from '../../local/memory.ts';
import { credentials, region } from '../../local/ministack.ts';
import { ServiceClient } from '../../local/service-client.ts';
import type { TestPlatform } from './platform.ts';

/** Somebody of one test alone, who can be erased without taking anything from the others. */
export interface Person {
  readonly username: string;
  readonly email: string;
  readonly token: string;
  readonly owner: string;
  readonly client: ServiceClient;
  /** Takes the user out of the pool, as the operator of a real one does. */
  leave(): Promise<void>;
}

/** Makes a user with these roles and signs them in. */
export async function newPerson(platform: TestPlatform, roles: readonly string[]): Promise<Person> {
  const { emulatorUrl, baseUrl } = platform.handle;
  const cognito = new CognitoIdentityProviderClient({ endpoint: emulatorUrl, region, credentials });
  const [UserPoolId, ClientId] = [platform.output('UserPoolId'), platform.output('UserPoolClientId')];
  const username = `person-${randomBytes(6).toString('hex')}`;
  const email = `${username}@example.com`;
  const Password = newPassword();
  const UserAttributes = [
    { Name: 'email', Value: email },
    { Name: 'email_verified', Value: 'true' },
  ];
  const user = { UserPoolId, Username: username };
  await cognito.send(new AdminCreateUserCommand({ ...user, UserAttributes, MessageAction: 'SUPPRESS' }));
  await cognito.send(new AdminSetUserPasswordCommand({ ...user, Password, Permanent: true }));
  for (const GroupName of roles) await cognito.send(new AdminAddUserToGroupCommand({ ...user, GroupName }));
  const { AuthenticationResult } = await cognito.send(
    new AdminInitiateAuthCommand({
      UserPoolId,
      ClientId,
      AuthFlow: 'ADMIN_USER_PASSWORD_AUTH',
      AuthParameters: { USERNAME: username, PASSWORD: Password },
    }),
  );
  const token = AuthenticationResult?.IdToken ?? '';
  const { sub } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as { sub: string };
  return {
    username,
    email,
    token,
    owner: ownerKey(sub),
    client: new ServiceClient(baseUrl, token),
    leave: async () => {
      await cognito.send(new AdminDeleteUserCommand(user));
      cognito.destroy();
    },
  };
}
