import { RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { DefinitionBody, LogLevel, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import type { Config } from '../config.ts';
import type { ServiceFunction } from '../function.ts';
import type { Definition } from './states.ts';

export interface FlowProps {
  readonly config: Config;
  readonly agent: string;
  readonly definition: Definition;
  /** Exactly the functions that the definition's tasks name. */
  readonly functions: readonly ServiceFunction[];
}

/** A state machine `<prefix>-<agent>` with a role that invokes exactly its functions. Logs never hold execution data. */
export class Flow extends Construct {
  readonly machine: StateMachine;

  constructor(scope: Construct, id: string, props: FlowProps) {
    super(scope, id);
    const { config } = props;
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('states.amazonaws.com') });
    role.addToPolicy(
      new PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        resources: props.functions.map((each) => each.lambda.functionArn),
      }),
    );
    this.machine = new StateMachine(this, 'Machine', {
      stateMachineName: `${config.name}-${props.agent}`,
      stateMachineType: StateMachineType.STANDARD,
      definitionBody: DefinitionBody.fromString(Stack.of(this).toJsonString(props.definition)),
      role,
      tracingEnabled: config.features.tracing,
      ...(config.features.flowLogs && {
        logs: {
          level: LogLevel.ALL,
          includeExecutionData: false,
          destination: new LogGroup(this, 'Logs', {
            // The prefix that CloudWatch reserves for deliveries: the policy for them does not grow with each flow.
            logGroupName: `/aws/vendedlogs/states/${config.name}-${props.agent}`,
            retention: config.logs.retentionDays,
            removalPolicy: RemovalPolicy.DESTROY,
          }),
        },
      }),
    });
    if (!config.features.flowLogs) {
      Validations.of(this).acknowledge({ id: 'AwsSolutions-SF1', reason: 'The setting features.flowLogs is off.' });
    }
    if (!config.features.tracing) {
      Validations.of(this).acknowledge({ id: 'AwsSolutions-SF2', reason: 'The setting features.tracing is off.' });
    }
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'X-Ray and the delivery of flow logs have no resources to name.',
    });
  }
}
