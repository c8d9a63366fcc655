import type { Config } from './config.ts';

export interface Problem {
  readonly path: string;
  readonly message: string;
}

/**
 * Most history events that our flows' turns may make (DESIGN 5.9: under 10,000 of the service's 25,000). Per turn a
 * call-model task, two choices, a map and a pass; per tool a map iteration with a task and a choice; each task with
 * two throttled starts. `test/stacks/flows.test.ts` counts them on the definitions.
 */
export const eventsPerTurn = 40;
export const eventsPerTool = 18;
export const maxHistoryEvents = 10_000;

/** Rules between fields. Each answer names the field to change. */
export function configRules(config: Config): readonly Problem[] {
  const problems: Problem[] = [];
  const refuse = (path: string, message: string) => problems.push({ path, message });
  const { storage, run, identity, guard, insert, hook, analysis } = config;

  if (storage.retentionDays > storage.longestRetentionDays) {
    refuse(
      'storage.retentionDays',
      `${storage.retentionDays} days is more than storage.longestRetentionDays (${storage.longestRetentionDays}); ` +
        'raise that too, so that the bucket keeps what is promised',
    );
  }
  const events = run.maxTurns * (eventsPerTurn + run.maxToolsPerTurn * eventsPerTool);
  if (events >= maxHistoryEvents) {
    refuse(
      'run.maxTurns',
      `with ${run.maxToolsPerTurn} tools a turn up to ${events} history events, allowed are ${maxHistoryEvents}`,
    );
  }
  if (insert.profileBytes > insert.maxBytes) refuse('insert.profileBytes', 'is more than insert.maxBytes');
  if (hook.floorBytes > insert.maxBytes) refuse('hook.floorBytes', 'is more than insert.maxBytes');
  if (analysis.keepMaxBytes > (analysis.scratchMiB * 1024 ** 2) / 2) {
    refuse(
      'analysis.keepMaxBytes',
      `is more than half of analysis.scratchMiB (${analysis.scratchMiB}), where the answer is written beside its inputs`,
    );
  }
  if (guard.lowShare >= guard.triggerShare) refuse('guard.lowShare', 'must be below guard.triggerShare');
  if (identity.kind === 'oidc') {
    if (identity.issuer === undefined) refuse('identity.issuer', 'is required for identity.kind oidc');
    if (identity.clientId === undefined) refuse('identity.clientId', 'is required for identity.kind oidc');
    if (identity.rolesSource === 'cognito')
      refuse('identity.rolesSource', 'must be table or token for identity.kind oidc');
  } else if (identity.clientSecretArn !== undefined) {
    refuse('identity.clientSecretArn', 'is for identity.kind oidc; the Cognito client has no secret');
  }
  if (identity.rolesSource === 'table' && identity.rolesTableArn === undefined) {
    refuse('identity.rolesTableArn', 'is required for identity.rolesSource table');
  }
  const { orders } = config;
  if (orders.secretArn !== undefined && orders.localUrl !== undefined) {
    refuse('orders.localUrl', 'is for the local platform; orders.secretArn names the database');
  }
  if (orders.vpcId !== undefined && (orders.subnetIds.length === 0 || orders.securityGroupId === undefined)) {
    refuse('orders.vpcId', 'needs orders.subnetIds and orders.securityGroupId');
  }
  if (config.models['*'] === undefined) refuse('models', 'needs an entry *, for agents without one of their own');
  for (const [agent, model] of Object.entries(config.models)) {
    if (model.maxTokens >= model.windowTokens) refuse(`models.${agent}.maxTokens`, 'must be below windowTokens');
  }
  return problems;
}
