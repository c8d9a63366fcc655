import { endings } from './endings.ts';
import { type Definition, faultTo, invoke, type States, type Step, task, whenOk } from './states.ts';
import { runTool, runToolStates, turns } from './turns.ts';

export interface FlowSteps {
  readonly callModel: Step;
  readonly runTool: Step;
  readonly postToolHook: Step;
  readonly handOff: Step;
  readonly saveTurn: Step;
}

export interface FlowLimits {
  readonly parallelTools: number;
  readonly maxAgeSeconds: number;
}

/** The standard flow: one agent, any tools. */
export function assistantFlow(steps: FlowSteps, limits: FlowLimits): Definition {
  const agent = turns({
    agent: 'assistant',
    callModel: steps.callModel,
    toolUse: runTool(steps.runTool),
    parallelTools: limits.parallelTools,
    done: 'SaveTurn',
  });
  return {
    Comment: 'Call the model, run the tools it asks for, until it answers; then save the turn.',
    StartAt: agent.start,
    TimeoutSeconds: limits.maxAgeSeconds,
    States: { ...agent.states, ...endings(steps.saveTurn) },
  };
}

/**
 * A flow in a foreign style: it invokes its tool by itself and passes what came back to post-tool-hook, once. This is
 * the listed exception to states without data (DESIGN 5.9); the result leaves the state with the hook. The event for
 * the tool is built from the state: the model's arguments are not in it, so the tool runs with its defaults.
 */
export function notesFlow(steps: FlowSteps, searchNotes: Step, limits: FlowLimits): Definition {
  const agent = turns({
    agent: 'notes',
    callModel: steps.callModel,
    toolUse: { StartAt: 'WhichTool', States: ownTool(steps, searchNotes) },
    parallelTools: 1, // One result in a state at a time.
    done: 'SaveTurn',
  });
  return {
    Comment: 'As the assistant, but search_notes is invoked by the flow and its result passed to post-tool-hook.',
    StartAt: agent.start,
    TimeoutSeconds: limits.maxAgeSeconds,
    States: { ...agent.states, ...endings(steps.saveTurn) },
  };
}

function ownTool(steps: FlowSteps, searchNotes: Step): States {
  const ids = { 'runId.$': '$.runId', 'turn.$': '$.turn', 'index.$': '$.index' };
  return {
    WhichTool: {
      Type: 'Choice',
      Choices: [{ Variable: '$.name', StringEquals: 'search_notes', Next: 'SearchNotes' }],
      Default: 'RunTool',
    },
    SearchNotes: task(
      searchNotes,
      { input: {}, context: { ...ids, tool: 'search_notes' } },
      {
        ResultSelector: { 'status.$': '$.status', 'content.$': '$.content' },
        ResultPath: '$.result',
        Next: 'PostToolHook',
      },
    ),
    PostToolHook: invoke(
      steps.postToolHook,
      { ...ids, tool: 'search_notes', 'result.$': '$.result' },
      { ResultPath: '$.tool', Next: 'ToolRan' },
    ),
    ...runToolStates(steps.runTool),
  };
}

/** The agents of the research flow, in order; the last one writes the answer. */
export const researchAgents = ['fetcher', 'analyst', 'writer'] as const;

/** Three agents: each works until it is done, then hands on what the next one needs (DESIGN 5.8 `hand-off`). */
export function researchFlow(steps: FlowSteps, limits: FlowLimits): Definition {
  const states: Record<string, States[string]> = {};
  for (const [at, agent] of researchAgents.entries()) {
    const next = researchAgents[at + 1];
    const prefix = `${agent[0]?.toUpperCase()}${agent.slice(1)}`;
    Object.assign(
      states,
      turns({
        agent,
        prefix,
        callModel: steps.callModel,
        toolUse: renamed(runTool(steps.runTool), prefix),
        parallelTools: limits.parallelTools,
        done: next === undefined ? 'SaveTurn' : `${prefix}HandOff`,
      }).states,
    );
    if (next === undefined) continue;
    const nextPrefix = `${next[0]?.toUpperCase()}${next.slice(1)}`;
    states[`${prefix}HandOff`] = invoke(
      steps.handOff,
      { 'runId.$': '$.runId', 'turn.$': '$.step.turn', from: agent, to: next },
      { ResultPath: '$.step', Catch: faultTo('Fault'), Next: `${prefix}HandedOff` },
    );
    states[`${prefix}HandedOff`] = whenOk('$.step', `${nextPrefix}Begin`, 'Refused');
    states[`${nextPrefix}Begin`] = {
      Type: 'Pass',
      Parameters: { 'runId.$': '$.runId', 'turn.$': '$.step.next' },
      Next: `${nextPrefix}CallModel`,
    };
  }
  return {
    Comment: 'A fetcher collects, an analyst weighs, a writer answers; each hands on fields and references.',
    StartAt: 'FetcherCallModel',
    TimeoutSeconds: limits.maxAgeSeconds,
    States: { ...states, ...endings(steps.saveTurn) },
  };
}

/** State names are unique in a whole definition, inside maps too. */
function renamed(inner: ReturnType<typeof runTool>, prefix: string): ReturnType<typeof runTool> {
  const rename = (name: unknown) => `${prefix}${String(name)}`;
  const states = Object.entries(inner.States).map(([name, state]) => {
    const copy: Record<string, unknown> = { ...state };
    for (const key of ['Next', 'Default']) if (key in copy) copy[key] = rename(copy[key]);
    if (Array.isArray(copy['Choices'])) {
      copy['Choices'] = copy['Choices'].map((choice: { Next: string }) => ({ ...choice, Next: rename(choice.Next) }));
    }
    return [rename(name), copy] as const;
  });
  return { StartAt: rename(inner.StartAt), States: Object.fromEntries(states) };
}
