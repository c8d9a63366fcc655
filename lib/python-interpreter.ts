import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { ServiceFunction } from './function.ts';

/** Lets the broker run Python in one Code Interpreter of Bedrock AgentCore: its sessions, nothing else of the service. */
export function usePython(broker: ServiceFunction, interpreter: string): void {
  const stack = Stack.of(broker);
  // The one that AWS runs is in no account.
  const [account, kind] = interpreter.startsWith('aws.')
    ? ['aws', 'code-interpreter']
    : [stack.account, 'code-interpreter-custom'];
  broker.variable('CLAIMCHECK_PYTHON', interpreter);
  broker.allow(
    new PolicyStatement({
      actions: ['StartCodeInterpreterSession', 'InvokeCodeInterpreter', 'StopCodeInterpreterSession'].map(
        (action) => `bedrock-agentcore:${action}`,
      ),
      resources: [`arn:${stack.partition}:bedrock-agentcore:${stack.region}:${account}:${kind}/${interpreter}`],
    }),
  );
}
