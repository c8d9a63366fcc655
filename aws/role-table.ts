import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import type { RoleHolder, RoleSource } from '../core/identity/role-source.ts';

/**
 * Roles kept in a DynamoDB table of the operator's: `pk` is the person's name in look-ups (the token's subject, or
 * Cognito's user name), `roles` a list or set of names. Read consistently, so a role that was taken away is gone at the
 * next click. No item means no role; an item that is not of this shape is a failure, not an empty list.
 */
export function tableRoles(documents: DynamoDBDocumentClient, table: string): RoleSource {
  return {
    rolesOf: async (holder: RoleHolder) => {
      const key = { pk: holder.username };
      const { Item: item } = await documents.send(
        new GetCommand({ TableName: table, Key: key, ConsistentRead: true }),
        { abortSignal: AbortSignal.timeout(1_000) },
      );
      if (item === undefined) return [];
      const roles: unknown = item['roles'] instanceof Set ? [...item['roles']] : item['roles'];
      if (!Array.isArray(roles) || roles.some((role) => typeof role !== 'string')) {
        throw new Error('roles: expected a list of names in the table');
      }
      return roles as string[];
    },
  };
}
