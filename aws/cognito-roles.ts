import { setTimeout as sleep } from 'node:timers/promises';
import {
  AdminListGroupsForUserCommand,
  type CognitoIdentityProviderClient,
} from '@aws-sdk/client-cognito-identity-provider';
import type { RoleHolder, RoleSource } from '../core/identity/role-source.ts';

/** Milliseconds for one whole look-up, retries of throttled pages included (DESIGN 7.4). */
const budgetMs = 1_000;
/** Cognito allows 100 groups a user; 60 a page. More pages than this mean a cursor that does not end. */
const maxPages = 10;

const throttled = new Set(['TooManyRequestsException', 'ThrottlingException', 'LimitExceededException']);

/**
 * Current groups by admin call, every page of them: the last group counts as much as the first. A throttled page is
 * repeated with growing, jittered pauses while the second lasts; then the throttling error is thrown. A user that is
 * gone holds no role.
 */
export function cognitoRoles(client: CognitoIdentityProviderClient, userPoolId: string): RoleSource {
  return {
    rolesOf: async (holder: RoleHolder) => {
      const deadline = Date.now() + budgetMs;
      const groups: string[] = [];
      let next: string | undefined;
      for (let page = 0; page < maxPages; page += 1) {
        const answer = await patiently(
          () =>
            client.send(
              new AdminListGroupsForUserCommand({
                UserPoolId: userPoolId,
                Username: holder.username,
                Limit: 60,
                ...(next === undefined ? {} : { NextToken: next }),
              }),
              { abortSignal: AbortSignal.timeout(Math.max(1, deadline - Date.now())) },
            ),
          deadline,
        );
        if (answer === undefined) return [];
        for (const group of answer.Groups ?? []) if (group.GroupName !== undefined) groups.push(group.GroupName);
        next = answer.NextToken;
        if (next === undefined || next === '') return groups;
      }
      throw new Error(`cognito: expected at most ${maxPages} pages of groups, found more`);
    },
  };
}

/** Undefined for a user that does not exist. */
async function patiently<T>(call: () => Promise<T>, deadline: number): Promise<T | undefined> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      const name = error instanceof Error ? error.name : '';
      if (name === 'UserNotFoundException') return undefined;
      const pause = Math.random() * 50 * 2 ** attempt + 10;
      if (!throttled.has(name) || Date.now() + pause >= deadline) throw error;
      await sleep(pause);
    }
  }
}
