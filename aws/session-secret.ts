import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

/** Reads a secret's text once per process and keeps it; a failed read is tried again at the next use. */
export function secretText(client: SecretsManagerClient, id: string): () => Promise<string> {
  let known: Promise<string> | undefined;
  return () => {
    known ??= read(client, id).catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}

async function read(client: SecretsManagerClient, id: string): Promise<string> {
  const { SecretString: text } = await client.send(new GetSecretValueCommand({ SecretId: id }));
  if (text === undefined || text === '') throw new Error('secret: expected a text');
  return text;
}
