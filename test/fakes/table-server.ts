import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import dynalite from 'dynalite';

/** A DynamoDB server of its own on a free port, with the limits of the real one (1 MB pages, 400 KB items). */
export class TableServer {
  readonly #server: Server = dynalite({ createTableMs: 0, deleteTableMs: 0 });
  #client: DynamoDBClient | undefined;

  /** Starts it and answers its address, for clients of a test's own. */
  async listen(): Promise<string> {
    // The server's five idle seconds may pass while this busy process has not yet seen that the connection was closed.
    this.#server.keepAliveTimeout = 600_000;
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', () => resolve()));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async start(): Promise<DynamoDBDocumentClient> {
    this.#client = new DynamoDBClient({
      endpoint: await this.listen(),
      region: 'eu-central-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      maxAttempts: 1,
    });
    return DynamoDBDocumentClient.from(this.#client, { marshallOptions: { removeUndefinedValues: true } });
  }

  /** A table with the keys that all of ours have. */
  async table(name: string, options: { readonly sortKey?: boolean } = {}): Promise<string> {
    const sorted = options.sortKey ?? true;
    await this.#client?.send(
      new CreateTableCommand({
        TableName: name,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          ...(sorted ? [{ AttributeName: 'sk', AttributeType: 'S' as const }] : []),
        ],
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          ...(sorted ? [{ AttributeName: 'sk', KeyType: 'RANGE' as const }] : []),
        ],
      }),
    );
    return name;
  }

  stop(): void {
    this.#client?.destroy();
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
