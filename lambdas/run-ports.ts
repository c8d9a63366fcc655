import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { DynamoAttempts } from '../aws/dynamo-attempts.ts';
import { DynamoGrants } from '../aws/dynamo-grants.ts';
import { DynamoMessages } from '../aws/dynamo-messages.ts';
import { DynamoOutcomes } from '../aws/dynamo-outcomes.ts';
import { DynamoRunRecords } from '../aws/dynamo-runs.ts';
import type { RunTable } from '../aws/run-keys.ts';
import type { Settings } from '../core/settings.ts';
import { systemClock } from '../core/telemetry/telemetry.ts';

/** A run's items outlive its results, so that its grants do (DESIGN 6). */
export function runTable(documents: DynamoDBDocumentClient, table: string, settings: Settings): RunTable {
  return { documents, table, clock: systemClock, keepSeconds: (settings.storage.retentionDays + 2) * 86_400 };
}

/** The ports over the runs table that most functions of a flow need. */
export function runPorts(table: RunTable) {
  return {
    runs: new DynamoRunRecords(table),
    messages: new DynamoMessages(table),
    outcomes: new DynamoOutcomes(table),
    attempts: new DynamoAttempts(table),
    grants: new DynamoGrants(table),
    clock: systemClock,
  };
}
