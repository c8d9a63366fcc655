import { Aws, CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { ArnPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { ToolDefinition } from '../core/tool/tool-definition.ts';
import { ClosingRule } from './closing-rule.ts';
import type { Config } from './config.ts';
import { assistantFlow, type FlowSteps, notesFlow, researchFlow } from './flows/definitions.ts';
import { Flow } from './flows/flow.ts';
import type { Definition, Step } from './flows/states.ts';
import { ServiceFunction } from './function.ts';
import { Observability } from './observability.ts';
import { grantOrdersDatabase, hasOrdersDatabase, ordersNetwork } from './orders-database.ts';
import { type PlatformFunctions, platformFunctions } from './platform-functions.ts';
import { Routes } from './routes.ts';
import type { Stateful } from './stateful.ts';
import { checkDeployments, checkTools, runToolSeconds, toolSeconds } from './tool-rules.ts';

/** A tool with a function of its own. Paths are absolute, or relative to this project's root. */
export interface ToolDeployment {
  readonly definition: ToolDefinition;
  readonly entry: string;
  readonly memoryMb: number;
  readonly files: readonly string[];
  /** Stores its bodies itself, by the wrapper. */
  readonly wrapper: boolean;
  /** Reads the database of the settings `orders`, and is deployed only with one. */
  readonly ordersDatabase?: boolean;
}

/** A tool that one of the platform's own functions answers. */
export interface BuiltinTool {
  readonly definition: ToolDefinition;
  readonly functionName: string;
}

export interface ServiceStackProps extends StackProps {
  readonly config: Config;
  readonly stateful: Stateful;
  readonly tools: readonly ToolDeployment[];
  readonly builtins: readonly BuiltinTool[];
}

/** Everything that can be replaced: functions, routes, flows and the rule that closes runs. It keeps no data. */
export class ServiceStack extends Stack {
  readonly functions: Readonly<Record<string, ServiceFunction>>;
  readonly flows: Readonly<Record<string, Flow>>;

  constructor(scope: Construct, id: string, props: ServiceStackProps) {
    super(scope, id, props);
    const { config, stateful } = props;
    const builtins = props.builtins.filter((tool) => config.analysis.enabled || tool.functionName !== 'analyze-result');
    const deployed = props.tools.filter((tool) => tool.ordersDatabase !== true || hasOrdersDatabase(config));
    const definitions = [...deployed, ...builtins].map((tool) => tool.definition);
    checkTools(definitions, config);
    checkDeployments(deployed);

    const platform = platformFunctions(this, {
      config,
      stateful,
      runToolSeconds: runToolSeconds(definitions, config),
      definitions,
    });
    const tools = Object.fromEntries(deployed.map((tool) => [tool.definition.name, this.tool(tool, props)]));
    const callable = { ...tools, ...this.builtins(builtins, platform) };
    platform.runTool.grantInvoke('CLAIMCHECK_TOOLS', callable);
    // What is deployed is what a model is offered; only run-tool may invoke it.
    const names = Object.entries(callable).map(([tool, { name }]) => [tool, `${config.name}-${name}`]);
    platform.callModel.variable('CLAIMCHECK_TOOLS', JSON.stringify(Object.fromEntries(names)));

    this.flows = this.makeFlows(config, platform, tools['search_notes']);
    const arns = Object.fromEntries(
      Object.entries(this.flows).map(([agent, flow]) => [agent, flow.machine.stateMachineArn]),
    );
    this.grantFlows(platform, arns);
    const closing = new ClosingRule(this, 'Closing', { flows: Object.values(this.flows), closeRun: platform.closeRun });
    new Routes(this, 'Routes', { api: stateful.api, targets: platform });

    for (const [at, arn] of config.flows.trusted.entries()) {
      platform.admitRun.lambda.addPermission(`Trusted${at}`, { principal: new ArnPrincipal(arn) });
    }

    const { builtins: answering, ...named } = platform;
    const all = [...Object.values(named), ...Object.values(answering), ...Object.values(tools)];
    this.functions = Object.fromEntries(all.map((each) => [each.name, each]));
    const { runs, catalog, chats, sessions } = stateful;
    new Observability(this, 'Observability', {
      config,
      watched: {
        functions: Object.fromEntries(all.map((each) => [each.name, each.lambda.functionName])),
        flows: arns,
        tables: {
          ...Object.fromEntries(
            Object.entries({ runs, catalog, chats, sessions }).map(([name, { tableName }]) => [
              name,
              { TableName: tableName },
            ]),
          ),
          'catalog-byTime': { TableName: catalog.tableName, GlobalSecondaryIndexName: 'byTime' },
        },
        apiId: stateful.api.apiId,
        undelivered: closing.undelivered.queueName,
        closingRule: closing.rule.ruleName,
      },
    });
    new CfnOutput(this, 'FlowArns', { value: this.toJsonString(arns) });
    new CfnOutput(this, 'FunctionNames', {
      value: JSON.stringify(Object.fromEntries(all.map((each) => [each.name, `${config.name}-${each.name}`]))),
    });
  }

  private tool(tool: ToolDeployment, props: ServiceStackProps): ServiceFunction {
    const name = `tool-${tool.definition.name.replaceAll('_', '-')}`;
    const made = new ServiceFunction(this, pascal(name), {
      config: props.config,
      stateful: props.stateful,
      name,
      description: `the tool ${tool.definition.name}`,
      source: { entry: tool.entry, files: tool.files },
      timeout: Duration.seconds(toolSeconds(tool.definition)),
      memoryMiB: tool.memoryMb,
      environment: {
        CLAIMCHECK_EXAMPLE_RECORDS: String(props.config.examples.records),
        CLAIMCHECK_EXAMPLE_SEED: String(props.config.examples.seed),
      },
      ...(tool.ordersDatabase === true ? ordersNetwork(this, props.config) : {}),
    });
    if (tool.ordersDatabase === true) grantOrdersDatabase(made, props.config);
    if (tool.definition.exports === true) {
      const mark = String(props.config.exports.byteOrderMark);
      return made.variable('CLAIMCHECK_EXPORT_BYTE_ORDER_MARK', mark).grantCreateExports();
    }
    return tool.wrapper ? made.grantCreateBodies() : made;
  }

  private builtins(builtins: readonly BuiltinTool[], platform: PlatformFunctions): Record<string, ServiceFunction> {
    return Object.fromEntries(
      builtins.map(({ definition, functionName }) => {
        const answering = platform.builtins[functionName];
        if (answering === undefined) {
          throw new Error(`tool ${definition.name}: there is no function ${functionName} to answer it`);
        }
        return [definition.name, answering];
      }),
    );
  }

  private makeFlows(
    config: Config,
    platform: PlatformFunctions,
    searchNotes: ServiceFunction | undefined,
  ): Record<string, Flow> {
    const limits = { parallelTools: config.run.parallelTools, maxAgeSeconds: config.run.maxAgeSeconds };
    const { callModel, runTool, postToolHook, handOff, saveTurn } = platform;
    const steps: FlowSteps = {
      callModel: step(callModel),
      runTool: step(runTool),
      postToolHook: step(postToolHook),
      handOff: step(handOff),
      saveTurn: step(saveTurn),
    };
    const flow = (agent: string, definition: Definition, functions: readonly ServiceFunction[]) =>
      new Flow(this, `${pascal(agent)}Flow`, { config, agent, definition, functions });
    return {
      assistant: flow('assistant', assistantFlow(steps, limits), [callModel, runTool, saveTurn]),
      research: flow('research', researchFlow(steps, limits), [callModel, runTool, handOff, saveTurn]),
      // An example: it comes and goes with the tool that it invokes by itself.
      ...(searchNotes && {
        notes: flow('notes', notesFlow(steps, step(searchNotes), limits), [
          callModel,
          runTool,
          postToolHook,
          saveTurn,
          searchNotes,
        ]),
      }),
    };
  }

  /** Admission and the API start what they have admitted; only the API asks how one of its executions ended. */
  private grantFlows(platform: PlatformFunctions, arns: Readonly<Record<string, string>>): void {
    const executions = Object.keys(arns).map(
      (agent) =>
        `arn:${Aws.PARTITION}:states:${Aws.REGION}:${Aws.ACCOUNT_ID}:execution:${this.flowName(platform, agent)}:*`,
    );
    for (const starting of [platform.api, platform.admitRun]) {
      starting
        .variable('CLAIMCHECK_FLOWS', this.toJsonString(arns))
        .allow(new PolicyStatement({ actions: ['states:StartExecution'], resources: Object.values(arns) }));
    }
    platform.api.allow(new PolicyStatement({ actions: ['states:DescribeExecution'], resources: executions }));
    for (const execution of executions) {
      platform.api.acknowledgeWildcard(execution, 'Executions are named by run; these are those of one flow.');
    }
  }

  private flowName(platform: PlatformFunctions, agent: string): string {
    return `${platform.api.prefix}-${agent}`;
  }
}

function step(made: ServiceFunction): Step {
  return { arn: made.lambda.functionArn, timeoutSeconds: made.timeout.toSeconds() };
}

function pascal(name: string): string {
  return name.replace(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
