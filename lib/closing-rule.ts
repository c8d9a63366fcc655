import { Duration, Validations } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Flow } from './flows/flow.ts';
import type { ServiceFunction } from './function.ts';

/**
 * Closes runs whose execution ended without a catch: timed out, aborted by hand, or failed in a way that
 * `States.ALL` does not catch. Success is told too, so that an ended run no longer counts among its owner's parallel
 * ones. An event that cannot be delivered waits two weeks in a queue.
 */
export class ClosingRule extends Construct {
  readonly undelivered: Queue;
  readonly rule: Rule;

  constructor(
    scope: Construct,
    id: string,
    props: { readonly flows: readonly Flow[]; readonly closeRun: ServiceFunction },
  ) {
    super(scope, id);
    this.undelivered = new Queue(this, 'Undelivered', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    Validations.of(this.undelivered).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'It is the dead-letter queue.',
    });
    this.rule = new Rule(this, 'Rule', {
      description: 'Claimcheck: executions that ended',
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: {
          status: ['FAILED', 'TIMED_OUT', 'ABORTED', 'SUCCEEDED'],
          stateMachineArn: props.flows.map((flow) => flow.machine.stateMachineArn),
        },
      },
      targets: [
        new LambdaFunction(props.closeRun.lambda, {
          deadLetterQueue: this.undelivered,
          retryAttempts: 8,
          maxEventAge: Duration.hours(6),
        }),
      ],
    });
  }
}
