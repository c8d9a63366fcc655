import { DescribeExecutionCommand, type SFNClient } from '@aws-sdk/client-sfn';

/**
 * How an execution of a run's flow stands: `RUNNING`, `SUCCEEDED`, `FAILED`, `TIMED_OUT`, `ABORTED`, or undefined when
 * there is none (it was never started, or ended more than 90 days ago). The execution's name is the run's id.
 */
export async function executionStatus(
  client: SFNClient,
  stateMachineArn: string,
  runId: string,
): Promise<string | undefined> {
  const executionArn = `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${runId}`;
  try {
    return (await client.send(new DescribeExecutionCommand({ executionArn }))).status;
  } catch (error) {
    if (error instanceof Error && error.name === 'ExecutionDoesNotExist') return undefined;
    throw error;
  }
}
