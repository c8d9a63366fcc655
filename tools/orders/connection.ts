import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { Client, type ClientConfig } from 'pg';
import * as z from 'zod/mini';
import { ClaimcheckError } from '../../core/errors.ts';
import { readInput } from '../../core/input/read-input.ts';

const port = z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(65_535)), 5432);

/** A secret as RDS and Secrets Manager write it; `ca` is the authority's certificates (PEM) where Node.js has them not. */
const databaseSecret = z.object({
  host: z.string().check(z.minLength(1)),
  port,
  username: z.string().check(z.minLength(1)),
  password: z.string().check(z.minLength(1)),
  dbname: z._default(z.string().check(z.minLength(1)), 'postgres'),
  ca: z.optional(z.string().check(z.minLength(1))),
});

/** Milliseconds that connecting and any one statement may take. */
const connectMs = 10_000;
const statementMs = 110_000;

/**
 * How this function reaches the database: `CLAIMCHECK_ORDERS_SECRET` names a secret (AWS, always over verified TLS),
 * `CLAIMCHECK_ORDERS_URL` is the address of a local server. Read for every connection, so that a rotated password works.
 */
export async function connectionSettings(
  variables: Readonly<Record<string, string | undefined>>,
  readSecret: (id: string) => Promise<string>,
): Promise<ClientConfig> {
  const { CLAIMCHECK_ORDERS_SECRET: secret, CLAIMCHECK_ORDERS_URL: url } = variables;
  const limits = {
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    application_name: 'claimcheck-list-orders',
  };
  if (secret !== undefined && secret !== '') {
    const { host, port, username, password, dbname, ca } = parsedSecret(await readSecret(secret));
    const ssl = ca === undefined ? { rejectUnauthorized: true } : { rejectUnauthorized: true, ca };
    return { host, port, user: username, password, database: dbname, ssl, ...limits };
  }
  if (url !== undefined && url !== '') return { connectionString: url, ...limits };
  throw new Error('CLAIMCHECK_ORDERS_SECRET: expected the secret of the database');
}

/** A connected client. Throws `ToolUnavailable`, which is worth another try, when the database does not answer. */
export async function connect(settings: ClientConfig): Promise<Client> {
  const client = new Client(settings);
  // An idle connection that breaks must not end the process; the query that follows fails by itself.
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (cause) {
    await client.end().catch(() => {});
    throw new ClaimcheckError('ToolUnavailable', 'list_orders: the database does not answer', {}, { cause });
  }
}

export function secretReader(): (id: string) => Promise<string> {
  const client = new SecretsManagerClient({ maxAttempts: 3 });
  return async (id) => (await client.send(new GetSecretValueCommand({ SecretId: id }))).SecretString ?? '';
}

/** Names what is wrong, never a value. */
function parsedSecret(text: string): z.output<typeof databaseSecret> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('the database secret: expected JSON {host, port, username, password, dbname}');
  }
  const parsed = readInput(databaseSecret, value, 'the secret');
  if (parsed.success) return parsed.data;
  throw new Error(`the database secret: ${parsed.error.message}`);
}
