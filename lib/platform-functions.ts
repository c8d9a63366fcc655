import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { buildConsole } from '../console/build.ts';
import type { ToolDefinition } from '../core/tool/tool-definition.ts';
import { analysisEngine } from './analysis-engine.ts';
import type { Config } from './config.ts';
import { ServiceFunction, type ServiceFunctionProps } from './function.ts';
import { usePython } from './python-interpreter.ts';
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
  /** Runs untrusted programs; only `analyze-result` calls it. */
  readonly engine?: ServiceFunction;
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
  props: {
    readonly config: Config;
    readonly stateful: Stateful;
    readonly runToolSeconds: number;
    /** Every tool of the deployment. */
    readonly definitions: readonly ToolDefinition[];
  },
): PlatformFunctions {
  const { config, stateful, definitions } = props;
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
      definitions,
      timeout: Duration.seconds(seconds),
      memoryMiB,
      ...rest,
    });
  };
  const uploadSeconds = Math.ceil(config.storage.uploadTimeoutMs / 1_000);

  const admitRun = make('AdmitRun', 'admit-run', 'admits a run for its owner', { seconds: 15, memoryMiB: 256 })
    .grantRuns('get', 'put')
    .grantActiveRuns('query', 'put', 'delete')
    .grantCatalog('get')
    .grantChats('get')
    .grantTombstones()
    .grantRoleLookup();

  // Within the 30 s of an HTTP API.
  const api = make('Api', 'api', 'runs, chats, catalogue and result views', { seconds: 29, memoryMiB: 512 })
    .grantRuns('get', 'query', 'put', 'update')
    .grantActiveRuns('query', 'put', 'delete')
    .grantCatalog('get', 'query')
    .grantCatalogByTime()
    .grantChats('get', 'query', 'put', 'update')
    .grantSessions('get', 'update')
    .grantTombstones()
    .grantReadResults()
    .grantRoleLookup()
    .grantSecret()
    .grantClientSecret()
    .useBaseUrl();

  const auth = make('Auth', 'auth', 'sign-in, callback and sign-out', { seconds: 20, memoryMiB: 256 })
    .grantSessions('get', 'put', 'update', 'delete')
    .grantSecret()
    .grantClientSecret()
    .useIdentity()
    .useBaseUrl();

  const download = make('Download', 'download', 'sends owners to their objects', { seconds: 15, memoryMiB: 256 })
    .grantSessions('get', 'update')
    .grantReadResults('exports')
    .grantRoleLookup()
    .grantSecret()
    .grantClientSecret()
    .useBaseUrl();

  const web = make('Web', 'web', 'the console’s files', {
    seconds: 10,
    memoryMiB: 256,
    source: { entry: 'lambdas/web/handler.ts', build: buildConsole },
  }).useBaseUrl();

  const callModel = make('CallModel', 'call-model', 'guards and makes one model call', {
    seconds: modelSeconds,
    memoryMiB: 512,
  })
    .grantRuns('get', 'query', 'put', 'update')
    .grantCatalog('get', 'query', 'put')
    .grantChats('get', 'query')
    .grantTombstones()
    .grantCreateResults()
    .grantReadResults()
    .grantModels()
    .useBaseUrl();

  const runTool = make('RunTool', 'run-tool', 'runs one tool call and keeps its result', {
    seconds: props.runToolSeconds,
    memoryMiB: 1024,
  })
    .grantRuns('get', 'query', 'put', 'update')
    .grantCatalog('get', 'query', 'put')
    .grantTombstones()
    .grantCreateResults()
    .grantReadResults('exports') // Looks whether a list tool's CSV stands.
    .useBaseUrl();

  const postToolHook = make('PostToolHook', 'post-tool-hook', 'keeps a result that a foreign flow passes', {
    seconds: uploadSeconds + 30,
    memoryMiB: 512,
  })
    .grantRuns('get', 'query', 'put', 'update')
    .grantCatalog('get', 'query', 'put')
    .grantTombstones()
    .grantCreateResults()
    .grantReadResults()
    .useBaseUrl();

  const handOff = make('HandOff', 'hand-off', 'the next agent’s opening message', {
    seconds: uploadSeconds + 30,
    memoryMiB: 512,
  })
    .grantRuns('get', 'query', 'put', 'update')
    .grantCatalog('get', 'query', 'put')
    .grantChats('get', 'query')
    .grantTombstones()
    .grantCreateResults()
    .grantReadResults()
    .useBaseUrl();

  const saveTurn = make('SaveTurn', 'save-turn', 'saves the chat turn of a run', { seconds: 60, memoryMiB: 512 })
    .grantRuns('get', 'query', 'put', 'update')
    .grantCatalog('get', 'query')
    .grantChats('get', 'query', 'put', 'update')
    .grantTombstones()
    .grantReadResults()
    .useBaseUrl();

  const closeRun = make('CloseRun', 'close-run', 'closes runs that ended without an answer', {
    seconds: 60,
    memoryMiB: 256,
  })
    .grantRuns('get', 'query', 'put', 'update')
    .grantActiveRuns('delete')
    .grantCatalog('get', 'query')
    .grantChats('get', 'query', 'put', 'update')
    .grantTombstones()
    .grantReadResults()
    .useBaseUrl();

  const listResults = make('ListResults', 'list-results', 'what this run may open', { seconds: 20, memoryMiB: 256 })
    .grantRuns('get', 'query', 'put')
    .grantCatalog('get', 'query')
    .grantSecret(); // Seals the cursor, so that it reaches no other owner.

  const readResult = make('ReadResult', 'read-result', 'reads part of a stored result', {
    seconds: 60,
    // A read needs under 256 MB whatever the result's size; the rest buys processor time for look-ups by id.
    memoryMiB: 1024,
  })
    .grantRuns('get', 'query', 'put')
    .grantCatalog('get', 'query')
    .grantReadResults()
    .useModels();

  const builtins: Record<string, ServiceFunction> = { 'list-results': listResults, 'read-result': readResult };
  const engine = config.analysis.enabled ? analysisEngine(scope, config, stateful) : undefined;
  if (engine !== undefined) {
    const broker = make('AnalyzeResult', 'analyze-result', 'checks, sends to the engine, keeps answers', {
      // A little more than the tool's own limit: it ends first and says why.
      seconds: 132,
      memoryMiB: 512,
      ...(config.analysis.pythonInterpreter !== undefined && {
        source: { entry: 'lambdas/analyze-result/with-python.ts' },
      }),
    })
      .grantRuns('get', 'query', 'put')
      .grantCatalog('get', 'query', 'put')
      .grantTombstones()
      .grantCreateResults()
      .grantCreateStaged()
      .grantReadResults('staging')
      .grantRoleLookup()
      .useBaseUrl()
      .grantInvoke('CLAIMCHECK_ENGINE', { engine });
    if (config.analysis.pythonInterpreter !== undefined)
      usePython(broker, callModel, config.analysis.pythonInterpreter);
    builtins['analyze-result'] = broker;
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
    ...(engine && { engine }),
    builtins,
  };
}
