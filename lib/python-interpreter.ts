import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { ServiceFunction } from './function.ts';

/**
 * Lets the broker run Python in one Code Interpreter of Bedrock AgentCore, its sessions and nothing else of the service,
 * and has the model offered it. The latter takes no right.
 */
export function usePython(broker: ServiceFunction, callModel: ServiceFunction, interpreter: string): void {
  const stack = Stack.of(broker);
  // The one that AWS runs is in no account.
  const [account, kind] = interpreter.startsWith('aws.')
    ? ['aws', 'code-interpreter']
    : [stack.account, 'code-interpreter-custom'];
  for (const told of [broker, callModel]) told.variable('CLAIMCHECK_PYTHON', interpreter);
  broker.allow(
    new PolicyStatement({
      actions: ['StartCodeInterpreterSession', 'InvokeCodeInterpreter', 'StopCodeInterpreterSession'].map(
        (action) => `bedrock-agentcore:${action}`,
      ),
      resources: [`arn:${stack.partition}:bedrock-agentcore:${stack.region}:${account}:${kind}/${interpreter}`],
    }),
  );
}
