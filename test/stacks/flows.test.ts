import { eventsPerTool, eventsPerTurn, maxHistoryEvents } from '../../lib/config-rules.ts';
import { concrete } from './concrete.ts';
import { resourcesOf, synthesize } from './synthesis.ts';

type State = Record<string, unknown> & { readonly Type: string };
interface Definition {
  readonly StartAt: string;
  readonly TimeoutSeconds?: number;
  readonly States: Record<string, State>;
}

const synthesis = synthesize();
const machines = Object.fromEntries(
  resourcesOf(synthesis.service, 'AWS::StepFunctions::StateMachine').map(([, { Properties: each }]) => [
    String(each['StateMachineName']).replace('claimcheck-', ''),
    { properties: each, definition: JSON.parse(text(each['DefinitionString'])) as Definition },
  ]),
);
const flows = Object.entries(machines).map(([agent, machine]) => [agent, machine] as const);

function text(value: unknown): string {
  return String(concrete(value, synthesis, synthesis.service));
}

/** Every state, those inside maps too, with where it stands. */
function statesOf(definition: Definition): readonly (readonly [string, State])[] {
  return Object.entries(definition.States).flatMap(([name, state]) => [
    [name, state] as const,
    ...(state['ItemProcessor'] === undefined ? [] : statesOf(state['ItemProcessor'] as Definition)),
  ]);
}

const tasks = (definition: Definition) => statesOf(definition).filter(([, state]) => state.Type === 'Task');

test('the three flows are there, standard, and their logs hold no execution data', () => {
  expect(Object.keys(machines).sort()).toEqual(['assistant', 'notes', 'research']);
  for (const [, { properties }] of flows) {
    expect(properties).toMatchObject({
      StateMachineType: 'STANDARD',
      LoggingConfiguration: { IncludeExecutionData: false, Level: 'ALL' },
    });
  }
});

describe.each(flows)('%s', (agent, { definition }) => {
  test('every state that is named exists, is named once and can be reached', () => {
    const check = (inner: Definition) => {
      const targets = (state: State): string[] => [
        ...(typeof state['Next'] === 'string' ? [state['Next']] : []),
        ...(typeof state['Default'] === 'string' ? [state['Default']] : []),
        ...[...((state['Choices'] as State[]) ?? []), ...((state['Catch'] as State[]) ?? [])].flatMap(targets),
      ];
      const reached = new Set<string>();
      const visit = (name: string) => {
        if (reached.has(name)) return;
        reached.add(name);
        const state = inner.States[name];
        if (state === undefined) throw new Error(`${agent}: ${name} does not exist`);
        targets(state).forEach(visit);
      };
      visit(inner.StartAt);
      expect(Object.keys(inner.States).filter((name) => !reached.has(name))).toEqual([]);
      for (const state of Object.values(inner.States)) {
        if (state['ItemProcessor'] !== undefined) check(state['ItemProcessor'] as Definition);
      }
    };
    check(definition);
    const names = statesOf(definition).map(([name]) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test('states carry ids and indexes only', () => {
    const carried = new Set<string>();
    for (const [, state] of statesOf(definition)) {
      const given = JSON.stringify([state['Parameters'] ?? {}, state['ItemSelector'] ?? {}]);
      for (const [path] of given.matchAll(/\$\$?\.[\w.[\]]+/g)) carried.add(path);
    }
    const ids = [
      ...['$.runId', '$.turn', '$.index', '$.name', '$.step.turn', '$.step.next', '$.step.code'],
      ...['$$.Execution.Id', '$$.StateMachine.Id', '$$.Map.Item.Value.index', '$$.Map.Item.Value.name'],
    ];
    // The one listed exception (DESIGN 5.9): the foreign flow passes a result to the hook, once.
    const allowed = agent === 'notes' ? [...ids, '$.result'] : ids;
    expect([...carried].filter((path) => !allowed.includes(path))).toEqual([]);
  });

  test('what a map item and a tool brought is dropped before the next turn', () => {
    for (const [, state] of statesOf(definition).filter(([, each]) => each.Type === 'Map')) {
      expect(state).toMatchObject({ ResultPath: null });
      const inner = state['ItemProcessor'] as Definition;
      const ends = Object.values(inner.States).filter((each) => each['End'] === true);
      expect(ends.map((each) => each['Parameters'])).toEqual([{ 'index.$': '$.index' }]);
    }
  });

  test('a task waits longer than its function, and the flow as long as a run may live', () => {
    const limits = new Map(
      resourcesOf(synthesis.service, 'AWS::Lambda::Function').map(([, { Properties: each }]) => [
        String(each['FunctionName']),
        Number(each['Timeout']),
      ]),
    );
    for (const [name, state] of tasks(definition)) {
      const limit = limits.get(String(state['Resource']).split(':').at(-1) ?? '');
      expect({ name, ok: Number(state['TimeoutSeconds']) > Number(limit) }).toEqual({ name, ok: true });
    }
    const runTool = Number(limits.get('claimcheck-run-tool'));
    for (const tool of ['tool-service-status', 'tool-flights', 'tool-search-notes', 'read-result', 'list-results']) {
      expect(3 * Number(limits.get(`claimcheck-${tool}`))).toBeLessThan(runTool);
    }
    expect(definition.TimeoutSeconds).toBe(24 * 3600);
  });

  test('nothing is repeated but a start that Lambda refused', () => {
    for (const [name, state] of tasks(definition)) {
      const retries = state['Retry'] as { ErrorEquals: string[]; MaxAttempts: number }[];
      expect({ name, errors: retries.map((each) => each.ErrorEquals) }).toEqual({
        name,
        errors: [['Lambda.TooManyRequestsException']],
      });
      expect(retries[0]?.MaxAttempts).toBeLessThanOrEqual(2);
    }
  });

  test('every fault outside a map leads to a saved failed turn, and drops what it says', () => {
    for (const [name, state] of Object.entries(definition.States)) {
      if (state.Type !== 'Task' && state.Type !== 'Map') continue;
      expect({ name, catch: state['Catch'] }).toEqual({
        name,
        catch: [
          {
            ErrorEquals: ['States.ALL'],
            ResultPath: null,
            Next: ['Refused', 'Fault'].includes(name) ? 'Failed' : 'Fault',
          },
        ],
      });
    }
  });

  test('history events per turn and tool stay within what config-rules reckons with', () => {
    // Entered and exited; a task is also scheduled, started and ended, and so again for each repeat.
    const events = (state: State) => (state.Type === 'Task' ? 5 + 3 * 2 : state.Type === 'Map' ? 4 : 2);
    for (const [name, state] of Object.entries(definition.States).filter(([, each]) => each.Type === 'Map')) {
      const inner = Object.values((state['ItemProcessor'] as Definition).States);
      // Of the alternatives in a map, the longest way is no longer than all of it.
      const own = inner.filter(
        (each) => agent !== 'notes' || each.Type !== 'Task' || !String(each['Resource']).includes('run-tool'),
      );
      const perTool = 2 + own.reduce((sum, each) => sum + (each.Type === 'Fail' ? 0 : events(each)), 0);
      expect({ name, perTool: perTool <= eventsPerTool * (agent === 'notes' ? 2 : 1) }).toEqual({
        name,
        perTool: true,
      });
    }
    const loop = Object.entries(definition.States).filter(([name]) =>
      /CallModel|Answered|WantsTools|ToolUses|NextTurn/.test(name),
    );
    const agents = agent === 'research' ? 3 : 1;
    expect(loop.reduce((sum, [, each]) => sum + events(each), 0) / agents).toBeLessThanOrEqual(eventsPerTurn);
    expect(12 * (eventsPerTurn + 16 * eventsPerTool)).toBeLessThan(maxHistoryEvents);
  });
});

test('an ended execution of these flows and of no other reaches close-run, or waits in a queue', () => {
  const [rule] = resourcesOf(synthesis.service, 'AWS::Events::Rule');
  const pattern = concrete(rule?.[1].Properties['EventPattern'], synthesis, synthesis.service) as {
    detail: { status: string[]; stateMachineArn: string[] };
  };
  expect(pattern.detail.status).toEqual(expect.arrayContaining(['FAILED', 'TIMED_OUT', 'ABORTED']));
  expect(pattern.detail.stateMachineArn.map((arn) => arn.split(':').at(-1)).sort()).toEqual([
    'claimcheck-assistant',
    'claimcheck-notes',
    'claimcheck-research',
  ]);
  expect(rule?.[1].Properties['Targets']).toEqual([
    expect.objectContaining({ DeadLetterConfig: expect.anything(), RetryPolicy: expect.anything() }),
  ]);
});

test('the routes are those of DESIGN 5.8, each with its function', () => {
  const integrations = Object.fromEntries(
    resourcesOf(synthesis.service, 'AWS::ApiGatewayV2::Integration').map(([id, each]) => [
      id,
      text(each.Properties['IntegrationUri']).split(':').at(-1)?.replace('claimcheck-', ''),
    ]),
  );
  const routes = resourcesOf(synthesis.service, 'AWS::ApiGatewayV2::Route').map(([, { Properties: each }]) => {
    const target = JSON.stringify(each['Target']);
    const id = Object.keys(integrations).find((name) => target.includes(`"${name}"`));
    return `${String(each['RouteKey'])} → ${integrations[id ?? '']}`;
  });
  expect(routes.sort()).toEqual(
    [
      'POST /runs → api',
      'GET /runs/{id} → api',
      'GET /chats → api',
      'GET /chats/{id} → api',
      'DELETE /chats/{id} → api',
      'GET /catalog → api',
      'GET /results/{session}/{id}/view → api',
      'GET /results/{session}/{id} → download',
      'HEAD /results/{session}/{id} → download',
      'GET /exports/{id} → download',
      'HEAD /exports/{id} → download',
      'ANY /auth/{proxy+} → auth',
      'GET / → web',
      'GET /console/{proxy+} → web',
      '$default → web',
    ].sort(),
  );
});
