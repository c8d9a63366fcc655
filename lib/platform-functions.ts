import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { analysisEngine } from './analysis-engine.ts';
import type { Config } from './config.ts';
import { ServiceFunction, type ServiceFunctionProps } from './function.ts';
import type { Stateful } from './stateful.ts';

/** Every function of the platform, before flows and tools give them more to do. */
export interface PlatformFunctions {
  readonly admitRun: ServiceFunction;
  readonly api: ServiceFunction;
  readonly auth: ServiceFunction;
  readonly download: ServiceFunction;
  readonly web: ServiceFunction;
  readonly callModel: ServiceFunction;
  readonly runTool: ServiceFunction;
  readonly postToolHook: ServiceFunction;
  readonly handOff: ServiceFunction;
  readonly saveTurn: ServiceFunction;
  readonly closeRun: ServiceFunction;
  /** By function name: `list-results`, `read-result`, `analyze-result`. */
  readonly builtins: Readonly<Record<string, ServiceFunction>>;
}

/** Seconds that the model functions may take: two model calls of two minutes and the guard's uploads. */
const modelSeconds = 300;

/**
 * Makes each function with exactly the rights of DESIGN 7. Read a function's grants here as the list of what it can
 * touch; `test/stacks/permissions.test.ts` simulates the policies that come out.
 */
export function platformFunctions(
  scope: Construct,
  props: { readonly config: Config; readonly stateful: Stateful; readonly runToolSeconds: number },
): PlatformFunctions {
  const { config, stateful } = props;
  const make = (
    id: string,
    name: string,
    description: string,
    limits: { seconds: number; memoryMiB: number } & Pick<ServiceFunctionProps, 'source'>,
  ) => {
    const { seconds, memoryMiB, ...rest } = limits;
    return new ServiceFunction(scope, id, {
      config,
      stateful,
      name,
      description,
      timeout: Duration.seconds(seconds),
      memoryMiB,
      ...rest,
    });
  };
  const uploadSeconds = Math.ceil(config.storage.uploadTimeoutMs / 1_000);

  const admitRun = make('AdmitRun', 'admit-run', 'admits a run for its owner', { seconds: 15, memoryMiB: 256 })
    .grantRuns('append')
    .grantCatalog('read')
    .grantChats('append')
    .grantSessions('tombstones')
    .grantRoleLookup();

  // The API answers within the 30 s of an HTTP API.
  const api = make('Api', 'api', 'runs, chats, catalogue and result views', { seconds: 29, memoryMiB: 512 })
    .grantRuns('write')
    .grantCatalog('read', { newest: true })
    .grantChats('delete')
    .grantSessions('write')
    .grantReadResults()
    .grantRoleLookup()
    .grantSecret()
    .useBaseUrl();

  const auth = make('Auth', 'auth', 'sign-in, callback and sign-out', { seconds: 20, memoryMiB: 256 })
    .grantSessions('delete')
    .grantSecret()
    .useIdentity()
    .grantClientSecret()
    .useBaseUrl();

  const download = make('Download', 'download', 'sends owners to their objects', { seconds: 15, memoryMiB: 256 })
    .grantCatalog('read')
    .grantSessions('write')
    .grantReadResults('exports')
    .grantRoleLookup()
    .grantSecret()
    .useBaseUrl();

  const web = make('Web', 'web', 'the console’s files', { seconds: 10, memoryMiB: 256 }).useBaseUrl();

  const callModel = make('CallModel', 'call-model', 'guards and makes one model call', {
    seconds: modelSeconds,
    memoryMiB: 512,
  })
    .grantRuns('write')
    .grantCatalog('append')
    .grantSessions('tombstones')
    .grantCreateResults()
    .grantReadResults()
    .grantModels()
    .useBaseUrl();

  const runTool = make('RunTool', 'run-tool', 'runs one tool call and keeps its result', {
    seconds: props.runToolSeconds,
    memoryMiB: 1024,
  })
    .grantRuns('write')
    .grantCatalog('append', { newest: true })
    .grantSessions('tombstones')
    .grantCreateResults()
    .grantReadResults()
    .useBaseUrl();

  const postToolHook = make('PostToolHook', 'post-tool-hook', 'keeps a result that a foreign flow passes', {
    seconds: uploadSeconds + 30,
    memoryMiB: 512,
  })
    .grantRuns('write')
    .grantCatalog('append', { newest: true })
    .grantSessions('tombstones')
    .grantCreateResults()
    .grantReadResults()
    .useBaseUrl();

  const handOff = make('HandOff', 'hand-off', 'the next agent’s opening message', {
    seconds: uploadSeconds + 30,
    memoryMiB: 512,
  })
    .grantRuns('write')
    .grantCatalog('append')
    .grantSessions('tombstones')
    .grantCreateResults()
    .grantReadResults()
    .useBaseUrl();

  const saveTurn = make('SaveTurn', 'save-turn', 'saves the chat turn of a run', { seconds: 60, memoryMiB: 512 })
    .grantRuns('write')
    .grantCatalog('read')
    .grantChats('write')
    .grantSessions('tombstones')
    .grantReadResults()
    .useBaseUrl();

  const closeRun = make('CloseRun', 'close-run', 'closes runs that ended without an answer', {
    seconds: 60,
    memoryMiB: 256,
  })
    .grantRuns('write')
    .grantCatalog('read')
    .grantChats('write')
    .grantSessions('tombstones')
    .grantReadResults()
    .useBaseUrl();

  const listResults = make('ListResults', 'list-results', 'what this run may open', { seconds: 20, memoryMiB: 256 })
    .grantRuns('append')
    .grantCatalog('read', { newest: true });

  const readResult = make('ReadResult', 'read-result', 'reads part of a stored result', {
    seconds: 60,
    memoryMiB: 256,
  })
    .grantRuns('append')
    .grantCatalog('read')
    .grantReadResults();

  const builtins: Record<string, ServiceFunction> = { 'list-results': listResults, 'read-result': readResult };
  if (config.analysis.enabled) {
    builtins['analyze-result'] = make('AnalyzeResult', 'analyze-result', 'checks, sends to the engine, keeps answers', {
      seconds: 150,
      memoryMiB: 512,
    })
      .grantRuns('append')
      .grantCatalog('append')
      .grantSessions('tombstones')
      .grantCreateResults()
      .grantReadResults()
      .grantRoleLookup()
      .useBaseUrl()
      .grantInvoke('CLAIMCHECK_ENGINE', { engine: analysisEngine(scope, config, stateful) });
  }

  return {
    admitRun,
    api,
    auth,
    download,
    web,
    callModel,
    runTool,
    postToolHook,
    handOff,
    saveTurn,
    closeRun,
    builtins,
  };
}
