import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { catalogueByTime } from '../../aws/dynamo-catalogue.ts';

/** The catalogue's table as the service stack makes it, with its index by time. */
export const catalogueTable: CreateTableCommandInput = {
  TableName: 'catalog',
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: ['pk', 'sk', 'at'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const })),
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: catalogueByTime,
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'at', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
};
